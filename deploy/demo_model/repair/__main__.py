"""`python -m deploy.demo_model.repair`: sources as JSON on stdin, the diagnosis as JSON on stdout.

A process of its own with hard limits, so that a strange project can cost the demo model seconds but never its life.
"""

import json
import resource
import sys
from dataclasses import asdict

from deploy.demo_model.repair.diagnosis import diagnose

CPU_SECONDS = 8
MEMORY_BYTES = 512 * 1024 * 1024

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    json.dump(asdict(diagnose(json.load(sys.stdin))), sys.stdout)
