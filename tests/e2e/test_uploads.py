"""A project that starts with a person's own files, uploaded in a real browser."""

import io
import random
import zipfile
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.e2e.conftest import Scheme, picture
from tests.e2e.workbench import serious_findings, sign_in
from tests.support.running_site import RunningSite

PHONE: Final = ViewportSize(width=390, height=844)


def zip_of(path: Path, noise: int) -> Path:
    """Create a zip file with a program and the given number of bytes that cannot be compressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("lantern-main/lantern.py", "print('It shines.')\n")
        archive.writestr("lantern-main/noise.bin", random.Random(7).randbytes(noise))
    path.write_bytes(packed.getvalue())
    return path


def open_dialog(page: Page) -> Locator:
    page.goto("/")
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="Create a project")
    dialog.get_by_role("radio", name="Upload").check()
    return dialog


def test_a_zip_becomes_a_project_although_the_connection_is_cut(
    page: Page, site: RunningSite, scheme: Scheme, tmp_path: Path
) -> None:
    sign_in(page)
    page.set_viewport_size(PHONE)
    dialog = open_dialog(page)
    picture(page, "upload-choose-phone", scheme)
    cut: list[str] = []

    def cut_second_part(route: object) -> None:
        address = route.request.url  # type: ignore[attr-defined]
        if "offset=8388608" in address and len(cut) < 2:
            cut.append(address)
            route.abort()  # type: ignore[attr-defined]
        else:
            route.continue_()  # type: ignore[attr-defined]

    page.route("**/content?offset=*", cut_second_part)
    dialog.get_by_test_id("upload-file").set_input_files(zip_of(tmp_path / "lantern-main.zip", 9 << 20))
    expect(dialog.get_by_role("status")).to_contain_text("The site does not answer.")
    expect(dialog.get_by_label("Name")).to_have_value("lantern")
    expect(dialog.get_by_role("button", name="Create project")).to_be_disabled()
    picture(page, "upload-cut-phone", scheme)
    expect(dialog.get_by_role("status")).to_contain_text("Ready: 2 files", timeout=60_000)
    assert len(cut) == 2
    assert serious_findings(page) == []
    picture(page, "upload-ready-phone", scheme)
    page.set_viewport_size({"width": 1440, "height": 900})
    picture(page, "upload-ready", scheme)
    dialog.get_by_role("button", name="Create project").click()
    page.wait_for_url("**/projects/prj_*")
    expect(page.get_by_role("heading", name="lantern")).to_be_visible()


@pytest.mark.full
def test_a_refused_file_says_why_and_another_can_be_chosen_by_keyboard(
    page: Page, site: RunningSite, scheme: Scheme, tmp_path: Path
) -> None:
    sign_in(page)
    dialog = open_dialog(page)
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7 ...")
    dialog.get_by_test_id("upload-file").set_input_files(tmp_path / "report.pdf")
    expect(dialog.get_by_role("alert")).to_contain_text("This file is not a zip file")
    picture(page, "upload-refused", scheme)
    dialog.get_by_role("button", name="Remove").focus()
    page.keyboard.press("Enter")
    broken = zip_of(tmp_path / "broken.zip", 1000).read_bytes()[:-40]
    (tmp_path / "broken.zip").write_bytes(broken)
    dialog.get_by_test_id("upload-file").set_input_files(tmp_path / "broken.zip")
    expect(dialog.get_by_role("alert")).to_contain_text("damaged", timeout=60_000)
    expect(dialog.get_by_role("button", name="Create project")).to_be_disabled()
    assert serious_findings(page) == []


@pytest.mark.full
def test_a_folder_is_packed_without_what_can_be_installed_again(
    page: Page, site: RunningSite, scheme: Scheme, tmp_path: Path
) -> None:
    folder = tmp_path / "kettle"
    (folder / "node_modules/left").mkdir(parents=True)
    (folder / "node_modules/left/index.js").write_text("x")
    (folder / "src").mkdir()
    (folder / "src" / f"{'long' * 30}.txt").write_text("a long name")
    (folder / "README.md").write_text("# Kettle\n")
    sign_in(page)
    dialog = open_dialog(page)
    dialog.get_by_test_id("upload-folder").set_input_files(folder)
    expect(dialog).to_contain_text("1 file in node_modules, .venv, __pycache__ will not be sent.")
    expect(dialog.get_by_role("status")).to_contain_text("Ready: 2 files", timeout=60_000)
    expect(dialog.get_by_label("Name")).to_have_value("kettle")
    picture(page, "upload-folder", scheme)
    dialog.get_by_role("button", name="Create project").click()
    page.wait_for_url("**/projects/prj_*")
