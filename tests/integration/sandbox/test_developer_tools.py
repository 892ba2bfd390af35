"""The sandbox image has the usual tools of developers, and the tool user can use them without a network."""

from typing import Final

import pytest

from tests.contract.sandbox.conftest import Sandbox

pytestmark = pytest.mark.docker

COMMANDS: Final = (
    "corepack --version", "curl --version", "g++ --version", "git --version", "jq --version", "make --version",
    "node --version", "npm --version", "npx --version", "pip --version", "pkg-config --version", "pnpm --version",
    "pytest --version", "python --version", "python3-config --includes", "rg --version", "rsync --version",
    "sqlite3 --version", "unzip -v", "uv --version", "uvx --version", "wget --version", "yarn --version", "zip -v",
)  # fmt: skip
NODE_PROJECT: Final = """
mkdir -p app/node_modules/left && cd app
echo '{"name": "left", "version": "1.0.0", "main": "index.js"}' > node_modules/left/package.json
echo 'module.exports = (a, b) => a - b' > node_modules/left/index.js
echo '{"name": "app", "version": "1.0.0", "scripts": {"test": "node --test"}}' > package.json
cat > app.test.mjs <<'END'
import assert from "node:assert"; import test from "node:test"; import left from "left";
test("subtracts", () => assert.equal(left(5, 3), 2));
END
npm test
"""
NATIVE_MODULE: Final = """
cat > answer.cc <<'END'
#include <node_api.h>
napi_value init(napi_env env, napi_value exports) { napi_create_int32(env, 42, &exports); return exports; }
NAPI_MODULE(answer, init)
END
g++ -shared -fPIC -I/opt/developer/include/node -o answer.node answer.cc && node -p 'require("./answer.node")'
"""
PYTHON_PACKAGE: Final = """
mkdir -p package && cat > package/setup.py <<'END'
from setuptools import Extension, setup
setup(name="answer", version="1", ext_modules=[Extension("answer", ["answer.c"])])
END
cat > package/answer.c <<'END'
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answer"};
PyMODINIT_FUNC PyInit_answer(void) {
    PyObject *made = PyModule_Create(&module);
    PyModule_AddIntConstant(made, "ANSWER", 42);
    return made;
}
END
"""
OTHERS_CAN_CHANGE: Final = r"find / -xdev \( -perm /6000 -o -not -type l -perm /0002 -not -path '/tmp*' \) -type f 2>&-"


async def test_its_programs_start(sandbox: Sandbox) -> None:
    checks = "\n".join(f"{command} > out 2>&1 < /dev/null || {{ echo '{command}'; cat out; }}" for command in COMMANDS)

    assert await sandbox.shell(checks) == ""


async def test_a_project_of_node_is_tested_and_a_native_module_is_built(sandbox: Sandbox) -> None:
    assert "pass 1" in await sandbox.shell(NODE_PROJECT)
    assert await sandbox.shell(NATIVE_MODULE) == "42\n"


@pytest.mark.full
async def test_python_packages_are_installed_in_the_home_directory_and_in_environments(sandbox: Sandbox) -> None:
    install = f"{PYTHON_PACKAGE} pip install --quiet --no-index --no-build-isolation ./package 2>&1"
    assert await sandbox.shell(f"{install}; python3 -c 'import answer; print(answer.ANSWER)'") == "42\n"

    environment = (
        "python3 -m venv one && one/bin/pip --version > out && uv venv --quiet --offline two && ls one/bin/pip"
    )
    assert await sandbox.shell(f"{environment}; two/bin/python -c 'print(1)'") == "one/bin/pip\n1\n"


async def test_npm_installs_commands_below_the_home_directory(sandbox: Sandbox) -> None:
    package = """mkdir hello && cd hello && printf '#!/bin/sh\\necho hello\\n' > hello && chmod +x hello
    echo '{"name": "hello", "version": "1.0.0", "bin": "./hello"}' > package.json"""

    assert await sandbox.shell(f"{package}; npm install -g --offline . > out 2>&1 || cat out; cd /; hello") == "hello\n"


async def test_no_file_of_it_has_the_rights_of_its_owner_or_can_be_changed(sandbox: Sandbox) -> None:
    assert await sandbox.shell(OTHERS_CAN_CHANGE) == ""
