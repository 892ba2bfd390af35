"""Tools run the program of a package, and rules about the program hold for them."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "words",
    [
        "nix run nixpkgs#git -- push origin",
        "nix run nixpkgs#git push origin",
        "nix run --impure github:NixOS/nixpkgs#git -- push origin",
        "nix run nixpkgs#pkgs.git -- push origin",
        "nix run nixpkgs#legacyPackages.x86_64-linux.git.bin -- push origin",
        "nix run nixpkgs#gitMinimal -- push origin",
        "nix run 'nixpkgs#git^out' -- push origin",
        "nix --extra-experimental-features 'nix-command flakes' run .#git -- push origin",
        "flatpak run org.git.git push origin",
        "pkgx git.io push origin",
    ],
)
def test_the_name_of_a_package_is_that_of_its_program(words: str) -> None:
    assert "git push origin" in analyzed(words).spellings


@pytest.mark.parametrize("words", ["nix build nixpkgs#hello", "nix flake show", "flatpak list", "nix run .#test"])
def test_other_packages_are_no_git(words: str) -> None:
    assert not any(each.startswith("git ") for each in analyzed(words).spellings)
