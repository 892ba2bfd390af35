import pytest

from tools_app.languages.prettier import is_plain


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".prettierrc", '{"semi": false}'),
        (".prettierrc", "# ours\nsemi: false\ntabWidth: 4\n"),
        (".prettierrc", ""),
        (".prettierrc.toml", "semi = false\n"),
        (".prettierrc.yaml", '---\n"semi": false\n'),
        ("package.json", '{"devDependencies": {"prettier": "^3"}}'),
        ("package.json", '{"prettier": {"semi": false}}'),
    ],
)
def test_options_are_plain(name: str, text: str) -> None:
    assert is_plain(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("prettier.config.js", "export default {}"),
        (".prettierrc.mjs", ""),
        (".prettierrc.json5", "{}"),
        (".prettierrc", '"@company/settings"'),
        (".prettierrc", "./settings.js"),
        (".prettierrc", '{"plugins": ["./evil.js"]}'),
        (".prettierrc", '{"\\u0070lugins": ["./evil.js"]}'),
        (".prettierrc.yaml", "overrides:\n  - files: '*.js'\n    options: {plugins: [./evil.js]}\n"),
        ("package.json", '{"prettier": "@company/settings"}'),
        ("package.json", '{"prettier": {"\\u0070lugins": ["./evil.js"]}}'),
        ("package.json", "{broken"),
        ("package.json", "[]"),
        ("package.yaml", "prettier: {}"),
    ],
)
def test_whatever_may_load_code_is_not(name: str, text: str) -> None:
    assert not is_plain(name, text)
