"""Images that operators register get the runner added, or are refused with a reason."""

from dataclasses import replace
from typing import Final

import pytest

from sandbox.image.registered import ImageRefused, ImageSource, prepare_image
from tests.contract.sandbox.conftest import Sandbox, new_call
from tests.support.engine import TestEngine

pytestmark = pytest.mark.docker

ON_THE_SITES: Final = "ARG SANDBOX\nFROM ${SANDBOX}\n"
OWN: Final = f"""{ON_THE_SITES}ENV GREETING=hello PATH=/opt/own:$PATH SANDBOX_LIMITS={{}}
RUN mkdir /opt/own && printf '#!/bin/sh\\necho own program\\n' > /opt/own/own && chmod +x /opt/own/own
"""
REFUSED: Final = {
    "a tag that the engine lacks": (ImageSource("tag", "nobody/has:this"), "has no image nobody/has:this"),
    "nothing but a file": (ImageSource("dockerfile", "FROM scratch\nCOPY Dockerfile /\n"), "it has no python3"),
    "a setuid file": (
        ImageSource("dockerfile", f"{ON_THE_SITES}RUN chmod u+s /usr/bin/jq\n"),
        "setuid or setgid files: /usr/bin/jq.",
    ),
    "no git and no ripgrep": (
        ImageSource("dockerfile", f"{ON_THE_SITES}RUN rm /usr/bin/git /usr/bin/rg\n"),
        "it has no git (package git); it has no rg (package ripgrep)",
    ),
    "a step that fails": (ImageSource("dockerfile", f"{ON_THE_SITES}RUN false\n"), "returned a non-zero code: 1"),
    "a Dockerfile with mistakes": (ImageSource("dockerfile", "FROM\n"), "FROM requires"),
}


async def test_a_dockerfile_becomes_a_sandbox_with_its_programs_and_variables(
    fresh_sandbox: Sandbox, docker_engine: TestEngine
) -> None:
    source = ImageSource("dockerfile", OWN)
    image = prepare_image(source, site_image=docker_engine.image, docker_host=docker_engine.host)

    spec = replace(fresh_sandbox.spec, image=image)
    runtime = await fresh_sandbox.deployment.ensure(spec)
    result = await runtime.run(new_call("own; echo $GREETING; echo ${PATH%%:*} $SANDBOX_LIMITS; id -un"))

    assert result.output.decode() == "own program\nhello\n/home/agent/.local/bin\nagent\n"
    assert (await runtime.check()).failures == ()
    assert prepare_image(source, site_image=docker_engine.image, docker_host=docker_engine.host) == image


@pytest.mark.parametrize("name", REFUSED)
def test_an_image_that_cannot_be_a_sandbox_is_refused_with_the_reason(name: str, docker_engine: TestEngine) -> None:
    source, reason = REFUSED[name]

    with pytest.raises(ImageRefused) as refused:
        prepare_image(source, site_image=docker_engine.image, docker_host=docker_engine.host)

    assert reason in refused.value.message
