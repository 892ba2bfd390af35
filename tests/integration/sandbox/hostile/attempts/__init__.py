"""All attempts to get out of a sandbox, in the order of the report."""

from tests.integration.sandbox.hostile.attempts import (
    archives,
    capabilities,
    escapes,
    files,
    mounts,
    namespaces,
    network,
    programs,
    resources,
    runner,
    system_calls,
    system_files,
)
from tests.integration.sandbox.hostile.case import Category

CATEGORIES: tuple[Category, ...] = (
    escapes.CATEGORY,
    system_files.CATEGORY,
    namespaces.CATEGORY,
    mounts.CATEGORY,
    capabilities.CATEGORY,
    system_calls.CATEGORY,
    runner.CATEGORY,
    programs.CATEGORY,
    files.CATEGORY,
    archives.CATEGORY,
    resources.CATEGORY,
    network.CATEGORY,
)
