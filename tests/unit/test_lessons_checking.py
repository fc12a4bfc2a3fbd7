"""The checker names every fault of a lesson's file, with its line and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccl_viewer import lessons
from ccl_viewer.errors import CancelledError, LessonFileError
from ccl_viewer.lessons import Question, QuestionKind
from ccl_viewer.lessons.checking import MAX_CAPTION, find_faults
from ccl_viewer.lessons.reading import parse_lesson
from ccl_viewer.support.cancellation import CancelToken

GOOD = """\
title = "A lesson"
aims = ["Know something."]

[grids]
ell = '''
#..
#..
###
'''

[defaults]
grid = "ell"
algorithm = "shibata_naive"
show = { arrows = true }

[[scene]]
title = "First"
caption = "All {cells} cells are roots."
step = 0
highlight = [[0, 0],
             [2, 2]]
pin = [0, 1]
notes = "Say so."
show = { numbers = "root" }

[scene.question]
kind = "next-label"
cell = [0, 2]

[[scene]]
title = "Second"
caption = "{roots} is left, of {1.roots}."
algorithm = "label_equivalence_sizes"
connectivity = 8
schedule = "random:3"
step = -1
show = { numbers = "layer:sizes", strength = 0.5, arrows = false }
follow = [[2, 2], [0, 0]]
"""


def faults(text: str) -> list[str]:
    return [str(fault) for fault in find_faults(text)]


def faults_with(old: str, new: str) -> list[str]:
    assert GOOD.count(old) == 1, old
    return faults(GOOD.replace(old, new))


def test_a_good_lesson_has_no_fault() -> None:
    assert faults(GOOD) == []


def test_a_lesson_is_read_as_it_is_written() -> None:
    lesson = parse_lesson(GOOD, "key").lesson
    assert lesson is not None
    assert (lesson.key, lesson.title, lesson.aims) == ("key", "A lesson", ("Know something.",))
    first, second = lesson.scenes
    assert first.grid == "#..\n#..\n###"
    assert (first.algorithm, first.connectivity, first.schedule) == (
        "shibata_naive",
        8,  # the algorithm's own
        "synchronous",
    )
    assert first.highlight == ((0, 0), (2, 2))
    assert first.pin == (0, 1)
    assert (first.follow, second.follow) == ((), ((2, 2), (0, 0)))
    assert first.show == {"arrows": True, "numbers": "root"}
    assert first.question == Question(QuestionKind.NEXT_LABEL, (0, 2))
    assert second.show == {"arrows": False, "numbers": "layer:sizes", "strength": 0.5}
    assert (second.algorithm, second.connectivity) == ("label_equivalence_sizes", 8)
    assert (second.schedule, second.step, second.notes) == ("random:3", -1, "")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('title = "A lesson"', 'titel = "A lesson"', 1, "did you mean title?"),
        ('title = "A lesson"', 'titel = "A lesson"', 1, "'title' is missing"),
        ('title = "A lesson"', f'title = "{"long " * 12}"', 1, "from the back row"),
        ('aims = ["Know something."]', "aims = []", 2, "A lesson has aims"),
        ('aims = ["Know something."]', "aims = [3]", 2, "holds texts, not 3"),
        ('aims = ["Know something."]', "aims = 3", 2, "aims is an array of texts"),
        ('"Know something."', '"<b>Know</b>"', 2, "HTML is not shown"),
        ("#..\n###", "#..\n##", 5, "In the grid ell: Line 3 has 2 cells"),
        ('grid = "ell"', 'grid = "eel"', 12, "There is no grid 'eel': did you mean ell?"),
        ('grid = "ell"', 'grid = "pattern:spirl"', 12, "did you mean spiral?"),
        ('grid = "ell"', 'grid = "pattern:spiral?size=999"', 12, "too large for a lesson"),
        ('"shibata_naive"', '"shibata_nave"', 13, "did you mean shibata_naive?"),
        ('"shibata_naive"', "7", 13, "algorithm is a text in quotes, not 7"),
        ("arrows = true", "arows = true", 14, "did you mean arrows?"),
        ("arrows = true", 'arrows = "yes"', 14, "arrows is true or false"),
        ("step = 0", "step = 0\nphase = 3", 20, "phase is a table"),
        ("step = 0", "step = 0\nphase = { wrap = 1 }", 20, "did you mean warp?"),
        ("step = 0", 'step = 0\nphase = { by = "barier" }', 20, "did you mean barrier?"),
        ("step = 0", "step = 0\nphase = { block = [0, 7] }", 20, "There is no block (0, 7, 0)"),
        ("step = 0", "step = 0\nphase = { warp = 99 }", 20, "There is no warp 99"),
        ("step = 0", 'step = 0\ndiagram = { of = "bank" }', 20, "did you mean banks?"),
        ("step = 0", 'step = 0\ndiagram = { of = "bits", lanes = 2 }', 20, "did you mean lane?"),
        ("step = 0", 'step = 0\ndiagram = { of = "order" }', 20, "key 'memory' is missing"),
        ("step = 0", 'step = 0\ndiagram = { of = "waiting" }', 20, "64 can be drawn"),
        ("step = 0", 'step = 0\ndiagram = { of = "bits" }', 20, "makes 0 ballots"),
        ("step = 0", 'step = 0\ndiagram = { of = "banks", line = "?!" }', 20, "No line of"),
        ("step = 0", "step = 0\nphase = { index = 7000 }", 20, "There is no phase 7000"),
        ("of {1.roots}", "of {1.loads}", 32, "Nothing was counted in that run"),
        ('title = "Second"', 'title = "Second"\nlines = { from = "no such" }', 32, "No line of"),
        (
            'title = "Second"',
            'title = "Second"\nlines = { from = "const" }',
            32,
            "write more of the line",
        ),
        ('title = "Second"', 'title = "Second"\nlines = 3', 32, "lines is a table"),
        ('title = "Second"', 'title = "Second"\nlines = { fro = "x" }', 32, "did you mean from?"),
        ('title = "Second"', 'title = "Second"\ntimes = "spiral 1024"', 32, "write compare"),
        ('title = "Second"', 'title = "Second"\ncompare = ["ha4"]', 32, "two to 4 runs"),
        ('kind = "next-label"', 'kind = "next-label"\nanswer = 1', 28, "has no answer"),
        ('title = "First"', f'title = "{"long " * 12}"', 17, "from the back row"),
        ('title = "First"', 'title = ""', 17, "title is empty"),
        ("All {cells} cells", "All {cell} cells", 18, "did you mean cells?"),
        ("All {cells} cells", "All {label} cells", 18, "write {label:X,Y}"),
        ("All {cells} cells", "All {label:9,9} cells", 18, "is outside the grid"),
        ("All {cells} cells", "All {label:1,0} cells", 18, "has no label"),
        ("All {cells} cells", "All {cells:0,0} cells", 18, "takes no cell"),
        ("All {cells} cells", "All {roots@99} cells", 18, "has no step 99"),
        ("All {cells} cells", "All {level} cells", 18, "no merge level"),
        ("All {cells} cells", "All {iteration} cells", 18, "no iteration"),
        ("All {cells} cells", "All {cells cells", 18, "A single { has no meaning"),
        ("All {cells} cells", "All {Cells!} cells", 18, "names no figure"),
        ("All {cells} cells", "See [it](http://x.org)", 18, "Links and pictures"),
        ("All {cells} cells", "See https://x.org", 18, "Addresses of pages"),
        ("All {cells} cells", "All **{cells} cells", 18, "has no partner"),
        ("All {cells} cells", "long " * 60, 18, f"{MAX_CAPTION} can be read"),
        ("step = 0\n", "step = 99\n", 19, "There is no step 99"),
        ("step = 0\n", "step = 1.5\n", 19, "step is a whole number, not 1.5"),
        ("step = 0\n", "step = true\n", 19, "step is a whole number, not True"),
        ("[2, 2]]", "[2, 9]]", 21, "[2, 9] is outside the grid of 3 x 3"),
        ("[2, 2]]", "[2, 0]]", 21, "[2, 0] is background"),
        ("[2, 2]]", "[2]]", 21, "column and row as [x, y], not [2]"),
        ("[[2, 2], [0, 0]]", "[[2, 2], [1, 0]]", 38, "[1, 0] is background"),
        ("pin = [0, 1]", "pin = [1, 1]", 22, "is background"),
        ("pin = [0, 1]", "pin = [1, -1]", 22, "is outside"),
        ('notes = "Say so."', 'notes = "# Say so."', 23, "Headings are not shown"),
        ('notes = "Say so."', "note = 'x'", 23, "did you mean notes?"),
        ('numbers = "root"', 'numbers = "rot"', 24, "did you mean root?"),
        ('numbers = "root"', 'numbers = "layer:sizes"', 24, "this run has none"),
        ('kind = "next-label"', 'kind = "next-lable"', 27, "did you mean next-label?"),
        ('kind = "next-label"', 'kind = "roots-left"', 28, "is about no cell"),
        ("cell = [0, 2]", "", 26, "is about a cell"),
        ("cell = [0, 2]", "cell = [1, 1]", 28, "is background"),
        ("cell = [0, 2]", "cell = [0, 2]\nprompt = '{rots}'", 29, "{rots}"),
        (
            '{1.roots}."',
            "{components}.\"\nquestion = { kind = 'components' }",
            32,
            "gives the answer",
        ),
        (
            '{1.roots}."',
            "{iterations}.\"\nquestion = { kind = 'iterations-left' }",
            32,
            "gives the answer",
        ),
        ("{1.roots}", "{9.roots}", 32, "There is no scene 9"),
        ("connectivity = 8", "connectivity = 6", 34, "4 or 8"),
        ('"random:3"', '"randm:3"', 35, "There is no schedule"),
        ("step = -1", "step = -1\nparameters = { jumps = 3 }", 37, "no parameter 'jumps'"),
        ("step = -1", "step = -1\nmultivalued = 1", 37, "multivalued is true or false"),
        (
            "step = -1",
            "step = -1\n[scene.question]\nkind = 'merged-roots'",
            37,
            "Step 5 of 5 is the last one: there is no next step",
        ),
        ("strength = 0.5", "strength = 2", 37, "from 0.1 to 1"),
        ("strength = 0.5", 'colours = "X"', 37, "colours cannot show 'X'"),
        ("show = { arrows = true }", 'show = { colours = "dept" }', 14, "did you mean depth?"),
    ],
)
def test_each_fault_is_named_on_its_line(old: str, new: str, line: int, words: str) -> None:
    found = faults_with(old, new)
    named = [fault for fault in found if fault.startswith(f"line {line}: ")]
    assert any(words in fault for fault in named), found


def test_all_faults_are_told_at_once_from_the_top() -> None:
    text = GOOD.replace("step = 0", "step = 77").replace("random:3", "raven:3")
    text = text.replace("pin = [0, 1]", "pin = [7, 7]")
    assert [fault.split(":")[0] for fault in faults(text)] == ["line 19", "line 22", "line 35"]


COMPARED = """title = "Beside each other"
aims = ["Compare two runs."]
[defaults]
grid = "pattern:spiral?size=15"
[[scene]]
title = "Two runs"
caption = "{row_col_unify.steps} launches, {label_equivalence.all_loads} loads."
compare = ["row_col_unify", "label_equivalence:threads=64"]
times = "spiral 1024"
lines = { kernel = "row_col_unify_rows", from = "extern", to = "}" }
[scene.question]
kind = "choice"
prompt = "Which takes fewer launches?"
choices = ["The first", "The second"]
answer = 2
why = ["It takes {row_col_unify.steps}.", "It takes {label_equivalence.steps}."]
"""


def test_a_comparison_with_a_choice_and_lines_has_no_fault() -> None:
    assert faults(COMPARED) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"row_col_unify", "', '"row_col_unfy", "', 8, "did you mean row_col_unify?"),
        ("threads=64", "thread=64", 8, "has no parameter 'thread'"),
        ("threads=64", "threads=", 8, "KEY:NAME=VALUE"),
        ('compare = ["row', 'algorithm = "ha4"\ncompare = ["row', 8, "leave algorithm out"),
        ("spiral 1024", "spirl 1024", 9, "did you mean spiral 1024?"),
        ("spiral 1024", "zigzag 1280", 9, "taken with connectivity 8"),
        ("{row_col_unify.steps} launches", "{ha4.steps} launches", 7, "No run 'ha4' is compared"),
        ("answer = 2", "answer = 0", 15, "the number of the right choice, 1 to 2"),
        ('choices = ["The first", "The second"]', 'choices = ["One"]', 14, "two to 5 texts"),
        ('choices = ["The first", "The second"]', "choices = []", 14, "two to 5 texts"),
        ('choices = ["The first", "The second"]', "choices = 3", 14, "an array of texts"),
        ("answer = 2", "answer = 3", 15, "the number of the right choice, 1 to 2"),
        ('"It takes {label_equivalence.steps}."]', "]", 16, "a text for each choice"),
        ("It takes {row_col_unify.steps}.", "It takes {stepps}.", 16, "did you mean steps?"),
        ("The first", "long " * 20, 14, "text 1 of choices has 100 characters"),
        ('prompt = "Which takes fewer launches?"', "", 11, "write prompt"),
    ],
)
def test_each_fault_of_a_comparison_is_named(old: str, new: str, line: int, words: str) -> None:
    assert COMPARED.count(old) == 1, old
    found = faults(COMPARED.replace(old, new))
    assert any(words in fault and fault.startswith(f"line {line}:") for fault in found), found


def test_defaults_and_drawings_that_no_scene_uses_are_named() -> None:
    text = COMPARED.replace("[defaults]", '[defaults]\nalgorithm = "ha4"')
    text = text.replace("[[scene]]", "[grids]\nell = '#'\n[[scene]]")
    assert faults(text) == [
        "line 4: No scene uses the default algorithm: leave it out.",
        "line 7: No scene shows the grid ell: leave it out.",
    ]
    assert parse_lesson(text, "key").faults == ()  # it can be taught all the same


def test_parameters_are_those_of_the_algorithm() -> None:
    at = 'algorithm = "shibata_naive"'
    assert "did you mean passes?" in faults_with(at, f"{at}\nparameters = {{ pases = 3 }}")[0]
    assert "from 1 to" in faults_with(at, f"{at}\nparameters = {{ passes = 0 }}")[0]


VALUES_APART = """\
title = "Values"
aims = ["Tell values apart."]
[[scene]]
title = "Two fields"
caption = "{roots} roots."
grid = '''
1122
1122
'''
algorithm = "label_equivalence"
multivalued = true
question = { kind = "components" }
"""


def test_values_can_be_told_apart() -> None:
    assert faults(VALUES_APART) == []
    lesson = parse_lesson(VALUES_APART, "values").lesson
    assert lesson is not None
    right = lessons.prepare_scene(lesson, 0).answer
    assert right is not None
    assert right.number == 2


def test_an_algorithm_that_cannot_tell_values_is_refused() -> None:
    (fault,) = faults(VALUES_APART.replace("label_equivalence", "ha4"))
    assert fault.startswith("line 11: HA4 labels foreground against background")


def test_no_root_or_too_many_to_click() -> None:
    ask = "[scene.question]\nkind = 'merged-roots'"
    old = '[scene.question]\nkind = "next-label"\ncell = [0, 2]'
    assert faults_with(old, ask) == []
    many = GOOD.replace(old, ask).replace('grid = "ell"', 'grid = "pattern:full?width=9&height=9"')
    assert any("80 roots merge" in fault for fault in faults(many))
    none = GOOD.replace(old, ask).replace("step = 0", "step = 3")
    assert any("No root merges" in fault for fault in faults(none))


@pytest.mark.parametrize(
    ("text", "line"),
    [("title = ", 1), ("a = 1\nb = = 2\n", 2), ("a = 1\na = 2\n", 2)],
)
def test_what_is_no_toml_is_told_with_its_line(text: str, line: int) -> None:
    (fault,) = find_faults(text)
    assert fault.line == line
    assert fault.text.startswith("This is not TOML: ")


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
@pytest.mark.parametrize("text", ["", "words", "words\n\nb = 2\n", '# \\" '])
def test_a_quote_that_is_not_closed_is_told_where_it_begins(quote: str, text: str) -> None:
    (fault,) = find_faults(f'a = "it\'s"\n\nb = {quote}{text}')
    assert fault.line == 3
    assert fault.text == f"The text that begins here is not closed: write {quote} at its end."


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('grid = "ell"', 'grid = "elll"', "did you mean ell"),
        ('grid = "ell"', 'grid = "pattern:spirl"', "did you mean spiral"),
        ('grid = "ell"', 'grid = "#!"', "Line 1, column 2"),
        ('algorithm = "shibata_naive"', 'algorithm = "shibata_nave"', "did you mean shibata_naive"),
        ('algorithm = "shibata_naive"', "algorithm = 3", "algorithm is a text"),
        ("show = { arrows = true }", 'connectivity = "8"', "connectivity is a whole number"),
    ],
)
def test_a_fault_of_defaults_that_no_scene_uses_is_told(old: str, new: str, words: str) -> None:
    own = 'grid = "pattern:shibata"\nalgorithm = "ha4"\nconnectivity = 4'
    text = GOOD.replace("step = 0", f"{own}\nstep = 0").replace("cell = [0, 2]", "cell = [1, 1]")
    text = text.replace("highlight = [[0, 0],\n             [2, 2]]\npin = [0, 1]\n", "")
    text = text.replace('algorithm = "label_equivalence_sizes"', 'algorithm = "playne"')
    text = text.replace("step = -1", 'grid = "pattern:full"')
    assert text.count(old) == 1
    line = 1 + text[: text.index(old)].count("\n")
    (fault,) = parse_lesson(text.replace(old, new), "key").faults
    assert fault.line == line
    assert words in fault.text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (f"{'a.' * 9}b = 1", "at most 8 parts"),
        (f"x = {'[' * 9}{']' * 9}", "nested too deeply"),
        (f"{'x' * 101} = 1", "at most 100 characters"),
        (f"x = '{'x' * 20_001}'", "longer than 20000"),
        (f"x = 1\n#{'x' * (1 << 17)}", "at most 131072 characters"),
    ],
)
def test_what_would_take_gigabytes_is_not_parsed(value: str, words: str) -> None:
    (fault,) = find_faults(f"{value}\n{GOOD}")
    assert fault.line == 1
    assert words in fault.text


def test_scenes_and_texts_are_limited() -> None:
    assert any("at most 200 scenes" in fault for fault in faults(GOOD + "[[scene]]\n" * 200))
    (fault,) = faults_with('notes = "Say so."', f"notes = '{'a.' * 2001}'")
    assert fault == "line 23: notes has 4002 characters: write at most 4000."


@pytest.mark.parametrize("text", [f"a = {'1' * 5000}", f"a = {'[' * 20_000}", "a = \x00"])
def test_what_no_reader_takes_is_one_fault(text: str) -> None:
    (fault,) = find_faults(text)
    assert fault.line == 1


VALUES = ("3", "-1", "true", '""', '"x"', "[]", "[[]]", "[1, 2]", "{}", "{ a = 1 }", "1e9", "nan")
MORE = GOOD.replace("strength = 0.5", 'colours = "label", strength = 0.5')
PLACES = [
    (text, *found.span(place))
    for text in (MORE, COMPARED)
    for found in re.finditer(
        r"""(\w+) = ("[^"]*"|'{3}.*?'{3}|\[.*?\]\n|[^\s,]+)""", text, re.DOTALL
    )
    for place in (1, 2)
]
"""Texts, each with where in it a key or a value begins and ends."""


@settings(max_examples=80)
@given(st.sampled_from(PLACES), st.sampled_from(VALUES))
def test_any_value_of_any_key_is_told_and_never_a_traceback(
    place: tuple[str, int, int], value: str
) -> None:
    text, start, end = place
    text = f"{text[:start]}{value}{text[end:]}"
    last = text.count("\n") + 1
    for fault in find_faults(text):
        assert 1 <= fault.line <= last
        assert fault.text.endswith((".", "?"))


def test_nothing_at_all_is_told_too() -> None:
    assert len(find_faults("")) == 3


def test_a_run_that_faults_is_a_fault_of_the_file() -> None:
    grid = "pattern:noise?width=96&height=4&density=0.6"
    text = f"""
title = "Broken"
aims = ["See it break."]
[[scene]]
title = "Out of bounds"
caption = "One barrier."
grid = "{grid}"
algorithm = "ha4"
schedule = "random:0"
parameters = {{ variant = "printed" }}
"""
    (fault,) = find_faults(text)
    assert fault.line == 8
    assert fault.text.startswith("This does not run: ")


def test_checking_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    grid = 'grid = "pattern:full?width=23&height=29"'
    with pytest.raises(CancelledError):
        find_faults(GOOD.replace('grid = "ell"', grid), cancel=token)


def test_a_lesson_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LessonFileError, match="did you mean shibata"):
        lessons.read_lesson("shibatta")
    with pytest.raises(LessonFileError, match="cannot be read"):
        lessons.read_lesson(str(tmp_path / "none.toml"))


def test_a_file_is_refused_with_its_first_fault(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace('title = "First"', "title = 3"))
    with pytest.raises(LessonFileError, match=r"mine.toml, line 17: title is a text"):
        lessons.read_lesson(str(path))
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(LessonFileError, match="UTF-8"):
        lessons.read_lesson(str(path))
    path.write_text("#" * (1 << 17) + "\n")
    with pytest.raises(LessonFileError, match="too large"):
        lessons.read_lesson(str(path))
    path.write_text(GOOD)
    assert lessons.read_lesson(str(path)).key == "mine"
