"""User algorithms: a folder does what built-in ones do, and its Python runs elsewhere."""

from __future__ import annotations

import json
import os
import py_compile
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS, find_algorithm, own_algorithms
from ccl_viewer.algorithms.own import (
    GROUP,
    CodeVersion,
    algorithm_from_json,
    allowed_algorithms,
    own_folder,
)
from ccl_viewer.cli import main
from ccl_viewer.diagnostics.phases import trace_launch
from ccl_viewer.diagnostics.profile import profile_algorithm
from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    InputError,
    KernelFaultError,
    RecordingFileError,
)
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.own import add_installed
from ccl_viewer.user_kernels.process import ChildProcess, Limits
from ccl_viewer.user_kernels.recorder import (
    RecordJob,
    child_code_fields,
    choose_recorder,
    own_code_fields,
)
from ccl_viewer.user_kernels.template import write_algorithm

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "oliveira"
GRID = noise(20, 24, 0.5)
ROW = 'ALGORITHM = Algorithm(\n    key="my_algorithm"'


@pytest.fixture(autouse=True)
def allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of what is allowed for this test alone."""
    path = tmp_path / "allowed.json"
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(path))
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder of a new algorithm, as `new` writes it."""
    write_algorithm(tmp_path / "mine")
    return tmp_path / "mine"


def rewrite(file: Path, before: str, after: str) -> int:
    """Change a text in a file; return the line where the new one begins, from 1."""
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), "utf-8")
    return text[: text.index(before)].count("\n") + 1


@pytest.mark.parametrize(
    ("schedule", "connectivity"),
    [("sequential", 4), ("reverse", 8), ("synchronous", 8), ("random:1", 4)],
)
def test_the_example_gives_right_labels(schedule: str, connectivity: int) -> None:
    key = ccl.add_algorithm(EXAMPLE)
    recording = ccl.record(
        noise(37, 41, 0.55), key, connectivity=connectivity, device="emulator", schedule=schedule
    )
    assert recording.verdict is not None
    assert recording.verdict.correct
    assert [step.kernel for step in recording.steps] == [
        "oliveira_tiles",
        "oliveira_borders",
        "oliveira_flatten",
    ]
    assert {step.module for step in recording.steps} == {"own:oliveira"}


def test_the_example_tells_values_apart_in_tiles_of_any_size() -> None:
    segments = np.random.default_rng(3).integers(0, 4, (19, 23)).astype(np.uint8)
    recording = ccl.record(
        segments,
        ccl.add_algorithm(EXAMPLE),
        connectivity=8,
        device="emulator",
        schedule="random:2",
        multivalued=True,
        tile_width=5,
        tile_height=3,
    )
    assert recording.verdict is not None
    assert recording.verdict.correct


def test_labels_are_numbered_as_by_any_other_algorithm(mine: Path) -> None:
    labels, count = ccl.label(GRID, ccl.add_algorithm(mine), device="emulator")
    expected, number = ccl.label(GRID, connectivity=4, device="emulator")
    assert count == number
    np.testing.assert_array_equal(labels, expected)


def test_commands_take_a_folder(
    mine: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    grid = "pattern:spiral?size=9"
    assert main(["record", grid, "-a", "./mine", "-o", "run.cclrec"]) == 0
    assert main(["check", "./mine", "--grid", grid, "--orders", "0"]) == 0
    assert main(["profile", grid, "-a", "./mine", "-a", "ha4"]) == 0
    assert main(["phases", grid, "-a", "./mine", "--step", "1"]) == 0
    assert main(["phases", "run.cclrec", "--step", "1"]) == 0
    assert main(["export", grid, "-a", "./mine", "-a", "ha4", "-o", "both.html"]) == 0
    assert main(["label", grid, "-a", "./mine", "-o", "labels.npy"]) == 0
    assert main(["list", "algorithms"]) == 0
    assert "own:mine  (mine; connectivity 4, 8" in capsys.readouterr().out
    assert main(["bench", "-a", "./mine", "-a", "ha4", grid, "-d", "emulator"]) == 0
    assert "own:mine" in capsys.readouterr().out
    # A page has the kernels' text, to be read, and nothing of the plan.
    page = Path("both.html").read_text("utf-8")
    assert "ALGORITHM = Algorithm" not in page


def test_settings_follow_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    output = str(tmp_path / "run.cclrec")
    chosen = ["-a", "./oliveira:tile_width=8,tile_height=4"]
    assert main(["record", "pattern:spiral?size=9", *chosen, "-o", output]) == 0
    assert ccl.open_recording(output).parameters == {"tile_width": 8, "tile_height": 4}


_LOAD_ALL = """
import json, sys
from pathlib import Path
from ccl_viewer.algorithms.own import own_folder, algorithm_to_json
from ccl_viewer.user_kernels.loading import OwnCode

rows = {}
for folder in map(own_folder, Path(sys.argv[1]).iterdir()):
    code = OwnCode(
        {"folder": str(folder.path), "name": folder.name, "module": "", "digest": folder.digest()}
    )
    code.load()
    rows[folder.name] = algorithm_to_json(code.algorithm)
print(json.dumps(rows))
"""


def test_every_algorithm_can_be_the_start_of_a_new_one(tmp_path: Path) -> None:
    for start in ALGORITHMS:
        write_algorithm(tmp_path / f"my_{start}", start)
    command = [sys.executable, "-c", _LOAD_ALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    for start, before in ALGORITHMS.items():
        row = algorithm_from_json(f"own:my_{start}", rows[f"my_{start}"])
        assert row.title == f"my_{start} (after {before.title})"
        assert row.parameters == before.parameters


def test_a_new_algorithm_after_another_runs_its_own_kernels(tmp_path: Path) -> None:
    write_algorithm(tmp_path / "mine", "ha4")
    recording = ccl.record(GRID, ccl.add_algorithm(tmp_path / "mine"), device="emulator")
    assert {step.module for step in recording.steps} == {"own:mine"}
    original = ccl.record(GRID, "ha4", device="emulator")
    for step in range(len(original)):
        np.testing.assert_array_equal(recording.labels(step), original.labels(step))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no name", "is not a name for an algorithm"),
        ("9mine", "is not a name for an algorithm"),
        ("ha4", "is a built-in algorithm"),
        ("mine", "is there already and not empty"),
    ],
)
def test_names_of_new_algorithms_are_checked(mine: Path, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        write_algorithm(mine.with_name(name))


def test_the_test_that_new_writes_passes(mine: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    cases = [f"test_mine.py::test_labels_are_right[{case}]" for case in ("4-reverse", "8-random:1")]
    done = subprocess.run([*command, *cases], cwd=mine, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout, done.stdout


def test_nothing_runs_before_the_folder_is_added(mine: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    plan = mine / "mine.py"
    plan.write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n" + plan.read_text())
    own_folder(mine)
    with pytest.raises(InputError, match="no algorithm own:mine that may run"):
        find_algorithm("own:mine")
    with pytest.raises(InputError, match="is not the key of an algorithm: to run the code"):
        ccl.record(GRID, str(mine))
    assert not ran.exists()
    ccl.add_algorithm(mine)
    assert ran.exists()


def test_python_runs_in_other_processes_only(mine: Path, tmp_path: Path) -> None:
    plan, told = mine / "mine.py", tmp_path / "processes"
    note = f"import os\nopen({str(told)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    plan.write_text(note + plan.read_text())
    key = ccl.add_algorithm(mine)
    recording = ccl.record(GRID, key, device="emulator")
    trace_launch(recording, 1)
    profile_algorithm(GRID, find_algorithm(key), 4, {})
    processes = told.read_text().split()
    assert len({*processes}) == 4
    assert str(os.getpid()) not in processes


def test_code_that_was_changed_does_not_run_until_it_is_allowed_again(mine: Path) -> None:
    key = ccl.add_algorithm(mine)
    recording = ccl.record(GRID, key, device="emulator")
    rewrite(mine / "mine.py", 'title="mine"', 'title="changed"')
    assert not CodeVersion.now(mine).allowed
    for run in (
        lambda: ccl.record(GRID, key, device="emulator"),
        lambda: trace_launch(recording, 0),
        lambda: ccl.label(GRID, key, device="emulator"),
    ):
        with pytest.raises(InputError, match="mine was changed since you allowed it"):
            run()
    ccl.add_algorithm(mine)
    assert ccl.record(GRID, key, device="emulator").converged
    assert find_algorithm(key).title == "changed"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_every_file_that_would_run_counts_as_code(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (mine / "linked").symlink_to(tmp_path / "elsewhere")
    headers = ("x.inl", ".hidden/y.inc", "linked/z.txt", "angled.cuh")
    modules = ("helper.py", "parts/__init__.py", "parts/deeper.py")
    for name in (*headers, *modules):
        (mine / name).parent.mkdir(exist_ok=True)
        (mine / name).write_text("")
    (mine / "helper.py").write_text("from parts.deeper import json\n")
    (mine / "parts" / "deeper.py").write_text("import json\n")
    kernels, plan = mine / "mine.cu", mine / "mine.py"
    includes = "".join(f'#include "{name}"\n' for name in headers[:3])
    kernels.write_text(includes + "#include <angled.cuh>\n" + kernels.read_text())
    path = f"import sys\nsys.path.insert(0, {str(mine)!r})\nfrom helper import json\n"
    plan.write_text(plan.read_text().replace("import numpy", path + "import numpy", 1))
    key = ccl.add_algorithm(mine)
    assert ccl.record(GRID, key, device="emulator").converged
    assert CodeVersion.now(mine).allowed
    for name in ("mine.cu", "mine.py", *headers, *modules):
        before = (mine / name).read_text()
        (mine / name).write_text(f"{before}\n")
        assert not CodeVersion.now(mine).allowed, name
        (mine / name).write_text(before)
    (mine / "README.md").write_text("No code.")
    assert CodeVersion.now(mine).allowed


def test_python_that_is_found_only_while_it_runs_is_refused(mine: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (mine / "hidden.py").write_text(f"open({str(ran)!r}, 'w')\n")
    way = f"import importlib, sys\nsys.path.insert(0, {str(mine)!r})\n"
    plan = mine / "mine.py"
    text = way + "importlib.import_module('hidden')\nimport numpy"
    plan.write_text(plan.read_text().replace("import numpy", text, 1))
    with pytest.raises(InputError, match=r"mine.py imports hidden.py in a way that nobody sees"):
        ccl.add_algorithm(mine)
    assert not ran.exists()


def test_code_that_changed_after_the_question_is_not_added(mine: Path) -> None:
    """Code that changes between the question and the run is not run."""
    before = own_folder(mine).digest()
    rewrite(mine / "mine.py", 'title="mine"', 'title="changed"')
    with pytest.raises(InputError, match="was changed since you allowed it"):
        ccl.add_algorithm(mine, digest=before)
    assert not allowed_algorithms()


@pytest.mark.parametrize("name", ["mine.py", "helper.py"])
def test_what_lies_compiled_beside_the_python_does_not_run(
    name: str, mine: Path, tmp_path: Path
) -> None:
    (mine / "helper.py").write_text("HELP = 1\n")
    way = f"import sys\nsys.path.insert(0, {str(mine)!r})\nimport helper\nimport numpy"
    rewrite(mine / "mine.py", "import numpy", way)
    plan, ran = mine / name, tmp_path / "ran"
    text = plan.read_text()
    plan.write_text(f"open({str(ran)!r}, 'w')\n{text}")
    compiled = Path(py_compile.compile(str(plan), doraise=True) or "")
    stamp = plan.stat()
    plan.write_text(text.ljust(stamp.st_size))
    os.utime(plan, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert compiled.is_file()
    ccl.add_algorithm(mine)
    assert not ran.exists()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("import numpy as np", "import nowhere", r"mine\.py:{line} fails \(ModuleNotFoundError"),
        ("BLOCK = (32, 8, 1)", "BLOCK = (32, 8", r"mine\.py:{line} fails \(SyntaxError: '\(' was"),
        ("BLOCK = (32, 8, 1)", "BLOCK = 1 / 0", r"mine\.py:{line} fails \(ZeroDivisionError"),
        ("BLOCK = (32, 8, 1)", "raise SystemExit(3)", r"mine\.py ends its process"),
        ("ALGORITHM = ", "OTHER = ", r"mine\.py defines no algorithm: write ALGORITHM"),
        ('title="mine"', "title=3", r"mine\.py cannot be used \(its title is not text"),
        ("(4, 8),", "(4, 6),", r"ALGORITHM in mine\.py cannot be used \(its connectivities"),
        ("planner=plan,", "", r"mine\.py:\d+ fails \(TypeError: .*planner"),
    ],
)
def test_what_is_wrong_with_the_python_is_said_in_a_sentence(
    mine: Path, before: str, after: str, words: str
) -> None:
    line = rewrite(mine / "mine.py", before, after)
    with pytest.raises(InputError, match=words.replace("{line}", str(line))):
        ccl.add_algorithm(mine)
    assert not allowed_algorithms()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("yield changed\n", "yield 3\n", r"mine\.py:{line} yields 3: yield a Buffer"),
        ("iteration = 0", "iteration = task.widht", r"mine\.py:{line} fails \(AttributeError"),
        (
            "return Outcome(",
            "return labels or Outcome(",
            r"The plan in mine\.py returns .*: let it return Outcome",
        ),
        ("grid,\n", "(1, 2),\n", r"mine\.py:\d+ fails"),
        (
            "(task.image, labels, *extent(task)),",
            "(task.image, labels, task.width, task.height),",
            r"mine\.py:\d+ gives mine_init \d+ as argument 3: give a Buffer, or a NumPy number",
        ),
        ("iteration = 0", "raise SystemExit", r"mine\.py:{line} ends its process"),
        ("iteration = 0", "input()", r"mine\.py:{line} fails \(EOFError"),
    ],
)
def test_what_is_wrong_with_the_plan_is_said_with_its_line(
    mine: Path, before: str, after: str, words: str
) -> None:
    line = rewrite(mine / "mine.py", before, after)
    key = ccl.add_algorithm(mine)
    with pytest.raises(InputError, match=words.replace("{line}", str(line))):
        ccl.record(GRID, key, device="emulator")


def test_a_run_whose_plan_fails_says_why_and_keeps_its_steps(mine: Path) -> None:
    line = rewrite(mine / "mine.py", "iteration += 1", "iteration += 1 // (1 - iteration)")
    algorithm = find_algorithm(ccl.add_algorithm(mine))
    recorder = choose_recorder(RecordJob(image=GRID, algorithm=algorithm, connectivity=4))
    reason = f"mine.py:{line} fails (ZeroDivisionError"
    with pytest.raises(InputError, match=re.escape(reason)):
        recorder.run()
    assert len(recorder.recording) == 2
    assert recorder.recording.sentence.startswith(reason)
    assert not recorder.recording.cancelled


def test_a_plan_that_yields_nothing_is_refused(mine: Path) -> None:
    text = (mine / "mine.py").read_text()
    (mine / "mine.py").write_text(text.replace("planner=plan", "planner=lambda task: None"))
    with pytest.raises(InputError, match=r"The plan in mine\.py yields nothing"):
        ccl.record(GRID, ccl.add_algorithm(mine), device="emulator")


def test_python_that_does_not_end_is_stopped(mine: Path, tmp_path: Path) -> None:
    rewrite(mine / "mine.py", "BLOCK =", "import time\nwhile True: time.sleep(1)\nBLOCK =")
    folder = own_folder(mine)
    job = {"own": child_code_fields(folder, folder.digest())}
    with (
        ChildProcess("ccl_viewer.user_kernels.describe", folder.name, Limits(), 2.0) as child,
        pytest.raises(KernelFaultError, match="of mine did not end within 2 s"),
    ):
        child.run_job(tmp_path, job)


def test_a_plan_that_does_not_end_is_stopped_at_its_line(mine: Path) -> None:
    line = rewrite(mine / "mine.py", "iteration = 0", "while True: pass")
    job = RecordJob(
        image=GRID,
        algorithm=find_algorithm(ccl.add_algorithm(mine)),
        connectivity=4,
        limits=Limits(0.5),
    )
    with pytest.raises(KernelFaultError, match=rf"was stopped at mine\.py:{line}: check"):
        choose_recorder(job).run()


@pytest.mark.skipif(sys.platform == "win32", reason="no signal can be sent to another process")
def test_a_system_that_ends_all_processes_leaves_no_files(mine: Path, tmp_path: Path) -> None:
    """A batch system sends SIGTERM to the program and to its child processes."""
    for name in ("out", "temporary"):
        (tmp_path / name).mkdir()
    told = socket.create_server(("127.0.0.1", 0))
    told.settimeout(60)
    tell = f"socket.create_connection({told.getsockname()}).sendall(b'%d' % os.getpid())"
    rewrite(mine / "mine.py", "import numpy as np", "import os\nimport socket\nimport numpy as np")
    rewrite(mine / "mine.py", "iteration = 0", f"{tell}\n    while True: pass")
    code = "import sys; from ccl_viewer.cli import main; sys.exit(main(sys.argv[1:]))"
    output = tmp_path / "out" / "run.cclrec"
    command = ["record", "pattern:spiral", "-a", str(mine), "-o", str(output)]
    with (
        told,
        subprocess.Popen(
            [sys.executable, "-c", code, *command],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(tmp_path / "temporary")},
        ) as program,
        told.accept()[0] as plan,
    ):
        child = int(plan.recv(100))  # the plan runs
        os.kill(child, signal.SIGTERM)
        program.send_signal(signal.SIGTERM)
        _, said = program.communicate(timeout=60)
    assert program.returncode == 143
    assert said == "ccl-viewer: Stopped before the end, as asked.\n"
    assert [*output.parent.iterdir()] == [*(tmp_path / "temporary").iterdir()] == []


def test_a_plan_that_does_not_end_can_be_cancelled(mine: Path) -> None:
    rewrite(mine / "mine.py", "iteration = 0", "while True: pass")
    job = RecordJob(image=GRID, algorithm=find_algorithm(ccl.add_algorithm(mine)), connectivity=4)
    cancel = CancelToken()

    def on_progress(text: str) -> None:
        if text == "Running mine_init":
            cancel.cancel()

    with pytest.raises(CancelledError):
        choose_recorder(job, cancel=cancel, progress=on_progress).run()


def test_wrong_names_are_answered_with_the_right_ones(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for slip, words in {
        "mine": "mine is a folder here",
        "./mine/mine.py": "is a file: name the folder",
    }.items():
        assert main(["check", slip]) == 2
        assert words in capsys.readouterr().err
    ccl.add_algorithm(mine)
    with pytest.raises(InputError, match="did you mean own:mine"):
        find_algorithm("mine")


def test_wrong_labels_are_found_with_the_smallest_grid(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(mine / "mine.cu", "dy <= 1", "dy <= 0")
    comb = "pattern:comb?width=3&height=2"
    assert main(["check", str(mine), "--grid", comb, "--orders", "0"]) == 1
    assert "wrong labels" in capsys.readouterr().out


INIT = "labels[cell] = image[cell] != 0 ? cell : -1;"
ON_BACKGROUND = "    if (x >= width || y >= height || image[y * width + x] == 0) {\n"


def skip_background(mine: Path) -> None:
    """Let the first kernel of a new algorithm store no label in background."""
    rewrite(mine / "mine.py", "task, fill=-1", "task")
    rewrite(mine / "mine.cu", INIT, "if (image[cell] != 0) labels[cell] = cell;")


def test_uninitialised_labels_are_shown_as_background_and_found(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skip_background(mine)
    clear = "if (x < width && y < height) labels[y * width + x] = -1;"
    rewrite(mine / "mine.cu", ON_BACKGROUND, f"{ON_BACKGROUND}        {clear}\n")
    key = ccl.add_algorithm(mine)
    recording = ccl.record(GRID, key, device="emulator")
    assert recording.verdict is not None
    assert recording.verdict.correct
    first = np.where(GRID != 0, np.arange(GRID.size).reshape(GRID.shape), -1)
    np.testing.assert_array_equal(recording.labels(0), first)
    assert recording.change_counts(0).first == np.count_nonzero(GRID)
    recording.save(tmp_path / "run.cclrec")
    again = ccl.open_recording(tmp_path / "run.cclrec").uninitialised
    assert again == recording.uninitialised
    assert again is not None
    assert (again.step, again.last, again.cells) == (0, 0, int(np.count_nonzero(GRID == 0)))

    np.save(tmp_path / "grid.npy", GRID)
    assert main(["check", str(mine), "--grid", str(tmp_path / "grid.npy"), "--orders", "1"]) == 1
    said = capsys.readouterr().out
    cells = int(np.count_nonzero(GRID == 0))
    assert f"uninitialised labels: After step 1 (mine_init), {cells} cells of the labels" in said
    assert "wrong labels" not in said


def test_cells_without_a_label_at_the_end_are_wrong_labels(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skip_background(mine)
    recording = ccl.record(GRID, ccl.add_algorithm(mine), device="emulator")
    assert recording.verdict is not None
    cells = int(np.count_nonzero(GRID == 0))
    assert f"{cells} cells were never given a label, the first at x" in recording.verdict.sentence
    assert main(["check", str(mine), "--grid", "pattern:spiral?size=7", "--orders", "0"]) == 1
    said = capsys.readouterr().out
    assert "wrong labels: The labels are wrong: 18 cells were never given a label, the" in said
    assert "uninitialised labels" not in said


def test_cells_that_a_stopped_launch_left_out_are_not_called_uninitialised(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skip_background(mine)
    rewrite(mine / "mine.cu", "labels[cell] = cell;", "labels[cell] = 100 / (cell % 7);")
    ccl.add_algorithm(mine)
    assert main(["check", str(mine), "--grid", "pattern:spiral?size=7", "--orders", "0"]) == 1
    said = capsys.readouterr().out
    assert "divides by zero: check the divisor first" in said
    assert "uninitialised" not in said


def test_commands_show_what_kernels_print(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite(mine / "mine.cu", INIT, f'if (cell == 2) printf("here %d\\n", x);\n    {INIT}')
    said = "mine_init: thread (2, 0, 0) of block (0, 0, 0): here 2\n"
    grid = ["pattern:spiral?size=9", "-a", str(mine)]
    assert main(["record", *grid, "-o", str(tmp_path / "run.cclrec")]) == 0
    assert capsys.readouterr().out.count(said) == 1
    assert ccl.open_recording(tmp_path / "run.cclrec").printed == (said.rstrip(),)
    check = ["check", str(mine), "-c", "4", "--grid", "pattern:spiral?size=9", "--orders", "1"]
    assert main(check) == 0
    assert capsys.readouterr().out.count(said) == 1


def test_a_kernel_without_its_linkage_is_named(mine: Path) -> None:
    rewrite(mine / "mine.cu", 'extern "C" __global__ void mine_init', "__global__ void mine_init")
    key = ccl.add_algorithm(mine)
    with pytest.raises(CCLViewerError, match=r'kernel mine_init: write extern "C" directly before'):
        ccl.record(GRID, key, device="emulator")


@pytest.mark.parametrize("missing", ["mine.py", "mine.cu"])
def test_a_folder_without_its_files_is_refused(mine: Path, missing: str) -> None:
    (mine / missing).unlink()
    with pytest.raises(InputError, match=rf"{missing} is missing"):
        ccl.add_algorithm(mine)


def test_paths_are_resolved(mine: Path, tmp_path: Path) -> None:
    ccl.add_algorithm(tmp_path / "elsewhere" / ".." / "mine")
    assert allowed_algorithms()["mine"].folder.path == mine.resolve()


def test_a_damaged_list_allows_nothing(mine: Path, allowed: Path) -> None:
    ccl.add_algorithm(mine)
    entry = json.loads(allowed.read_text())["mine"]
    damaged: tuple[object, ...] = (
        {"mine": {**entry, "row": {**entry["row"], "connectivities": 4}}},
        {"mi/ne": entry},
        {"mine": 3},
        [],
    )
    for entries in damaged:
        allowed.write_text(json.dumps(entries))
        assert not allowed_algorithms()
    allowed.write_text("{")
    assert not allowed_algorithms()


def test_a_list_that_cannot_be_written_is_said(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "file" / "allowed.json"))
    with pytest.raises(InputError, match="name another file in the variable CCL_VIEWER_ALG"):
        ccl.add_algorithm(mine)


def test_recordings_name_an_algorithm_and_cannot_lead_elsewhere(
    mine: Path, tmp_path: Path, allowed: Path
) -> None:
    path = tmp_path / "run.cclrec"
    ccl.record(GRID, ccl.add_algorithm(mine), device="emulator").save(path)
    allowed.unlink()
    recording = ccl.open_recording(path)
    assert recording.algorithm == "own:mine"
    with pytest.raises(CCLViewerError, match="no algorithm own:mine that may run"):
        trace_launch(recording, 0)
    evil = tmp_path / "evil.cclrec"
    with ZipFile(path) as before, ZipFile(evil, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(name, data.replace(b"own:mine", b"own:../m"))
    with pytest.raises(RecordingFileError):
        ccl.open_recording(evil)


def install(site: Path, points: str) -> None:
    """Write what an installed package says of itself."""
    about = site / "their_package-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{points}\n")


def test_installed_packages_bring_algorithms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    install(site, "oliveira = their_package.oliveira\nmissing = their_package.missing")
    package = site / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for suffix in ("py", "cu"):
        shutil.copy(EXAMPLE / f"oliveira.{suffix}", package)
    monkeypatch.syspath_prepend(str(site))
    failures = add_installed()
    assert len(failures) == 1
    assert "ModuleNotFoundError" in failures[0]
    assert "their_package" not in sys.modules
    key = ccl.add_algorithm("own:oliveira")
    assert ccl.record(GRID, key, device="emulator").converged
    # A newer version of the package needs no question: whoever installed it wants it.
    rewrite(package / "oliveira.py", "Oliveira, union-find", "Newer, union-find")
    ccl.add_algorithm(key)
    assert find_algorithm(key).title == "Newer, union-find in tiles"


def test_a_folder_of_the_users_goes_before_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "oliveira = nowhere.oliveira")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    ccl.add_algorithm(EXAMPLE)
    assert add_installed() == ()
    assert allowed_algorithms()["oliveira"].folder.path == EXAMPLE


def test_a_folder_that_is_gone_is_not_listed(mine: Path) -> None:
    key = ccl.add_algorithm(mine)
    assert [row.key for row in own_algorithms()] == [key]
    shutil.rmtree(mine)
    assert own_algorithms() == ()
    with pytest.raises(InputError, match=r"mine\.py is gone: name the folder where own:mine"):
        ccl.record(GRID, key, device="emulator")


def test_a_child_does_not_import_from_where_the_user_happens_to_be(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise RuntimeError\n")
    monkeypatch.chdir(tmp_path)
    assert own_code_fields(ccl.add_algorithm(mine)) is not None


def test_the_command_line_lists_and_forgets_what_may_run(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ccl.add_algorithm(mine)
    assert main(["list", "own"]) == 0
    assert "own:mine  (mine; may run)" in capsys.readouterr().out
    rewrite(mine / "mine.py", 'title="mine"', 'title="changed"')
    assert main(["list", "own", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["state"], row["folder"]) == ("changed since you allowed it", str(mine))
    shutil.rmtree(mine)
    main(["list", "own"])
    assert "missing" in capsys.readouterr().out
    assert main(["forget", "mine"]) == 0
    assert not allowed_algorithms()
    assert main(["forget", "own:mine"]) == 2
    assert "no algorithm own:mine that may run here" in capsys.readouterr().err
