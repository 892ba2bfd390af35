"""Real projects for `tests.bench.real_projects`. The package managers of this machine download them."""

import io
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FETCH_SECONDS: Final = 120.0
APT: Final = (
    "apt-get -qq -o Dir::State::lists=$HOME/apt/lists -o Dir::Cache=$HOME/apt"
    " -o APT::Update::Error-Mode=any -o Acquire::Retries=0"
)
GO_PACKAGES: Final = (
    "golang-github-spf13-pflag-dev golang-github-cpuguy83-go-md2man-v2-dev golang-github-russross-blackfriday-v2-dev"
    " golang-gopkg-yaml.v3-dev golang-github-inconshreveable-mousetrap-dev"
)
GO_ROOT: Final = "$HOME/debs/usr/share/gocode"
GO_FOLDER: Final = "github.com/spf13/cobra"
TEST_OF_APPLICATION: Final = """\
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import App from './App'

test('the button counts its clicks', () => {
  render(<App />)
  const button = screen.getByRole('button', { name: /count is 0/i })
  fireEvent.click(button)
  expect(button.textContent).toMatch(/count is 1/i)
})
"""
VITEST: Final = """\
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [react()], test: { environment: 'jsdom' } })
"""

TEST_OF_NODE: Final = """\
const assert = require('node:assert')
const { test } = require('node:test')
const { Client } = require('pg')

test('an order is stored', async () => {
  const client = new Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  await client.query('create table if not exists orders (tea text, grams int)')
  await client.query("insert into orders values ('sencha', 50)")
  const { rows } = await client.query('select count(*)::int as count from orders where grams = 50')
  assert.ok(rows[0].count >= 1)
  await client.end()
})
"""
TEST_OF_GO: Final = """\
package orders

import (
	"database/sql"
	"os"
	"testing"

	_ "github.com/lib/pq"
)

func TestTheOrderOfTheOtherHalfIsThere(t *testing.T) {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	var tea string
	if err := db.QueryRow("select tea from orders limit 1").Scan(&tea); err != nil || tea != "sencha" {
		t.Fatal(tea, err)
	}
}
"""
"""Reads with Go the order that the Node.js test stored in PostgreSQL, so the tests pass only if all three work."""


class NotFetched(Exception):
    """A registry did not serve a package that a project needs; the message names the command."""


@dataclass(frozen=True, slots=True)
class RealProject:
    """A project to try. `setup` is the set-up script; `refused` are its commands that install packages, each of which
    must fail at once without a network; `tests` is the command that runs the tests. `image` is a registered image or
    `default`."""

    name: str
    pack: Callable[[Path], Path]
    setup: str
    refused: tuple[str, ...]
    tests: str
    image: str = "default"
    services: str = ""


def pack_django(folder: Path) -> Path:
    """Return the source distribution of a Django application, which contains tests and requirements."""
    command = ["pip", "download", "--quiet", "--no-deps", "--no-binary", "django-filter", "django-filter"]
    _fetch(command, folder)
    return next(folder.glob("django*filter*.tar.gz"))


def pack_vite(folder: Path) -> Path:
    """Return a Vite application in TypeScript: the template of `npm create vite`, with vitest and a lock file."""
    _fetch(["npm", "pack", "--silent", "create-vite"], folder)
    with tarfile.open(next(folder.glob("create-vite-*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    project = folder / "vite-app"
    shutil.copytree(folder / "package" / "template-react-ts", project)
    (project / "src" / "App.test.tsx").write_text(TEST_OF_APPLICATION)
    (project / "vitest.config.ts").write_text(VITEST)
    # npm leaves packages of the linter for other systems out of a lock file that it makes here, and then refuses it.
    _fetch(["npm", "pkg", "delete", "devDependencies.oxlint", "scripts.lint"], project)
    for_tests = ["vitest", "jsdom", "@testing-library/react", "@testing-library/dom"]
    lock = ["npm", "install", "--package-lock-only", "--no-omit-lockfile-registry-resolved", "--no-audit", "--no-fund"]
    _fetch([*lock, "-D", *for_tests], project)
    return _packed(project)


def pack_go(folder: Path) -> Path:
    """Return the source and the tests of the Go module cobra, from its Debian package."""
    _fetch(["apt-get", "-qq", "download", "golang-github-spf13-cobra-dev"], folder)
    package = next(folder.glob("*.deb"))
    _fetch(["dpkg-deb", "-x", package.name, "unpacked"], folder)
    return _packed(folder / "unpacked/usr/share/gocode/src" / GO_FOLDER)


def pack_shop(folder: Path) -> Path:
    """Pack a small project of our own in Node.js and Go, locked to the PostgreSQL driver from npm; return the tar
    file."""
    project = folder / "shop"
    (project / "orders").mkdir(parents=True)
    (project / "package.json").write_text('{"name": "shop", "version": "1.0.0", "private": true}')
    (project / "order.test.js").write_text(TEST_OF_NODE)
    (project / "orders" / "orders_test.go").write_text(TEST_OF_GO)
    _fetch(["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "pg"], project)
    return _packed(project)


def _fetch(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotFetched(f"{' '.join(command)}: {error}") from error
    if done.returncode:
        raise NotFetched(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")


def _packed(folder: Path) -> Path:
    """Pack the folder as a tar file beside it, with the folder's name as the top directory."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(folder, arcname=folder.name)
    target = folder.with_name(f"{folder.name}.tar.gz")
    target.write_bytes(packed.getvalue())
    return target


PROJECTS: Final = (
    RealProject(
        "Django application (pip)",
        pack_django,
        setup="python3 -m venv .venv && .venv/bin/pip install -q -r requirements/test.txt",
        refused=("pip install --target /tmp/x -r requirements/test.txt",),
        tests=".venv/bin/python runtests.py",
    ),
    RealProject(
        "Vite application (npm)",
        pack_vite,
        setup="npm ci --no-audit --no-fund",
        refused=("npm ci --no-audit --no-fund",),
        tests="npx vitest run && npm run build",
    ),
    RealProject(
        "Go module (apt)",
        pack_go,
        setup=f"root=$PWD; mkdir -p ~/apt/lists/partial ~/debs && cd ~/debs && {APT} update"
        f" && {APT} download {GO_PACKAGES}"
        f" && for each in *.deb; do dpkg-deb -x $each .; done && ln -sfn $root {GO_ROOT}/src/{GO_FOLDER}"
        " && rm -rf ~/apt",
        refused=(f"mkdir -p ~/apt/lists/partial && {APT} update", "go mod download"),
        tests=f"GO111MODULE=off GOPATH={GO_ROOT} go test {GO_FOLDER} {GO_FOLDER}/doc",
        image="go",
    ),
    RealProject(
        "Node.js, Go and PostgreSQL",
        pack_shop,
        setup="npm ci --no-audit --no-fund && mkdir -p ~/apt/lists/partial ~/debs && cd ~/debs"
        f" && {APT} update && {APT} download golang-github-lib-pq-dev"
        " && dpkg-deb -x golang-github-lib-pq-dev_*.deb . && rm -rf ~/apt",
        refused=("npm ci --no-audit --no-fund",),
        tests=f"node --test && cd orders && GO111MODULE=off GOPATH={GO_ROOT} go test",
        image="go",
        services='[postgres]\ndatabase = "shop"\n',
    ),
)
