from tools_app.registry import catalogue
from tools_app.spec import OfferContext


def test_models_hear_of_lsp_only_where_the_image_has_language_servers() -> None:
    tool = catalogue()["lsp"]

    assert tool.is_offered(OfferContext(settings={"languages": True}))
    assert not tool.is_offered(OfferContext(settings={"languages": False}))
    assert not tool.is_offered(OfferContext())
