"""The shells complete commands, options and names."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ccl_viewer.cli import main
from ccl_viewer.cli.completion import describe_commands

_ASK = """
{script}
COMP_WORDS=({line})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_ccl_viewer
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ccl-viewer label -a sta", {"stava_benes"}),
        ("ccl-viewer -a ha", {"ha4", "ha4_64", "ha4_features", "ha8"}),
        ("ccl-viewer che", {"check"}),
        ("ccl-viewer check pla", {"playne", "playne_block"}),
        ("ccl-viewer list al", {"algorithms"}),
        ("ccl-viewer lesson shi", {"shibata"}),
        ("ccl-viewer exercise walk", {"walk-to-the-root"}),
        ("ccl-viewer bench kalentev-2", {"kalentev-2"}),
        ("ccl-viewer label pat", {"pattern:"}),
        ("ccl-viewer label pattern : spir", {"spiral"}),  # bash divides words at colons
        ("ccl-viewer bench -a ha4 pattern : hil", {"hilbert"}),
        ("ccl-viewer pattern : sti", {""}),
        ("ccl-viewer pattern : zig", {"zigzag"}),
        ("ccl-viewer label --multi", {"--multivalued"}),
        ("ccl-viewer record -d em", {"emulator"}),
        ("ccl-viewer label -o lab", {""}),  # readline then completes the names of files
    ],
)
def test_bash_completes(line: str, expected: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    asked = _ASK.format(script=script("bash", capsys), line=line)
    answer = subprocess.run(
        [str(BASH), "--norc", "-c", asked], capture_output=True, text=True, check=True
    )
    assert set(answer.stdout.removesuffix("\n").split("\n")) == expected
    assert not answer.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_every_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    for name, arguments in describe_commands().items():
        assert name in text
        for argument in arguments:
            for flag in argument.flags:
                assert (flag.lstrip("-") if shell == "fish" else flag) in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_reads_its_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    text = script(shell, capsys)
    read = subprocess.run([program, "-n"], input=text, capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")
