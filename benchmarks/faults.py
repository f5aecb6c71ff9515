"""Seed faults into a copy of this repository, and see which test notices each of them.

    python benchmarks/faults.py [NAME ...]
    python benchmarks/faults.py --count

A fault is one small change that makes an answer wrong: a wrong sign, an off by one, a constraint
that is dropped, a check that is left out. The script copies the repository to a temporary folder,
applies one fault at a time, and runs the tests that are closest to it. If they pass, it runs the
whole suite. It prints a table with the first test that failed, after it has seen that the same test
passes without the fault. Its exit status is 1 if a fault was not noticed.

NAME selects faults by a part of their name. The copy compiles the kernel with little optimisation,
so that a fault in C++ costs a few seconds. The script needs git, cmake, ninja and the packages that
the tests need.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNEL = "solvers/native/kernel"
CONTRACT = "tests/conformance/test_contract.py"
FIRST_SECONDS = 300  # for the tests that are closest to a fault
WHOLE_SECONDS = 3600


@dataclass(frozen=True)
class Fault:
    """In `file`, `text`, which must occur once, becomes `changed`. `tests` are run first."""

    name: str
    file: str
    text: str
    changed: str
    tests: str

    def right(self, root: Path = ROOT) -> str:
        """Return what the file says without the fault. It must have the text once."""
        right = (root / self.file).read_text(encoding="utf-8")
        if right.count(self.text) != 1:
            raise SystemExit(f"{self.file} must have this once, for {self.name!r}: {self.text}")
        return right


FAULTS = (
    # --- the kernel -----------------------------------------------------------------------------
    Fault(
        "kernel: one cell of the sea is forgotten",
        f"{KERNEL}/board/frontier.cpp",
        "sea = propagation.hidden_cells - cells;",
        "sea = propagation.hidden_cells - cells - (propagation.hidden_cells > cells);",
        "tests/native/test_kernel.py",
    ),
    Fault(
        "kernel: wrong binomial for the mines of a box",
        f"{KERNEL}/counting/elimination.cpp",
        "of[k] = choose[k] * weight;",
        "of[k] = choose[k > 1 ? k - 1 : k] * weight;",
        "tests/native/test_kernel.py",
    ),
    Fault(
        "kernel: wrong sign in the pair rule",
        f"{KERNEL}/board/propagate.cpp",
        "-more == only_b ? -1",
        "more == only_b ? -1",
        "tests/native/test_kernel.py",
    ),
    Fault(
        "kernel: of two clues over the same cells one upper bound is dropped",
        f"{KERNEL}/board/frontier.cpp",
        "a.high = std::min(a.high, b.high);",
        "a.high = std::max(a.high, b.high);",
        "tests/native/test_kernel.py",
    ),
    Fault(
        "kernel: off by one in the weights of the sea",
        f"{KERNEL}/combining/combine.cpp",
        "weight *= here / (static_cast<double>(sea) - here + 1);",
        "weight *= here / (static_cast<double>(sea) - here + 2);",
        "tests/native/test_kernel.py",
    ),
    Fault(
        "kernel: the key of a remembered region leaves out its clues",
        f"{KERNEL}/counting/memory.cpp",
        "        description_.push_back(static_cast<char>(frontier.constraints[c].low));\n"
        "        description_.push_back(static_cast<char>(frontier.constraints[c].high));\n",
        "",
        "tests/native/test_kernel_calls.py",
    ),
    Fault(
        "kernel: the key of a remembered region leaves out the sizes of its boxes",
        f"{KERNEL}/counting/memory.cpp",
        "        description_.push_back(static_cast<char>(box.size));\n",
        "",
        "tests/native/test_kernel_calls.py",
    ),
    Fault(
        "kernel: ties go to the first cell, whatever its neighbours",
        f"{KERNEL}/playing/safest.hpp",
        "if (around < fewest && row[c] <= most && here(c))",
        "if (fewest == 9 && row[c] <= most && here(c))",
        "tests/native/test_moves.py tests/native/test_games.py",
    ),
    Fault(
        "kernel: the sqrt start shows one cell too few",
        f"{KERNEL}/playing/game.cpp",
        "return (root + 1) / 2;",
        "return root / 2;",
        "tests/native/test_games.py",
    ),
    Fault(
        "kernel: wrong sign in row reduction",
        f"{KERNEL}/deducing/gauss.cpp",
        "fixed_.emplace_back(term.box, term.factor < 0);",
        "fixed_.emplace_back(term.box, term.factor > 0);",
        "tests/generation tests/native/test_layouts.py",
    ),
    Fault(
        "kernel: swapped arguments of a subtraction",
        f"{KERNEL}/deducing/subtraction.cpp",
        "tell(known, frame, others & ~cells, other.mines - sentence.mines);",
        "tell(known, frame, others & ~cells, sentence.mines - other.mines);",
        "tests/generation tests/native/test_layouts.py",
    ),
    Fault(
        "kernel: the end game gives up a cell by the bound of another one",
        f"{KERNEL}/searching/search.cpp",
        "if (possible <= above) return possible;",
        "if (possible - division.parts[i].bound <= above) return possible;",
        "tests/native/test_winning.py",
    ),
    # --- the library ----------------------------------------------------------------------------
    Fault(
        "clues: wrong likelihood of cautious clues",
        "csp_mines/clues.py",
        "lambda t, most: _scale(most) // (most + 1 - t),",
        "lambda t, most: _scale(most) // (t + 1),",
        f"{CONTRACT}::test_analyses_boards_like_brute_force",
    ),
    Fault(
        "constraints: one cell of the sea is forgotten",
        "csp_mines/constraints.py",
        "return tuple(np.flatnonzero(sea).tolist())",
        "return tuple(np.flatnonzero(sea)[1:].tolist())",
        "tests/test_constraints.py tests/test_counting.py",
    ),
    Fault(
        "constraints: < for <= where the total may exclude something",
        "csp_mines/constraints.py",
        "return high >= self.mines or self.mines - low >= len(self.sea)",
        "return high > self.mines or self.mines - low > len(self.sea)",
        "tests/test_constraints.py",
    ),
    Fault(
        "counting: wrong binomial for the sea",
        "csp_mines/counting.py",
        "left = _binomials(self.sea - 1, self.mines - self.low - 1, len(self.frontier))",
        "left = _binomials(self.sea, self.mines - self.low - 1, len(self.frontier))",
        "tests/test_counting.py",
    ),
    Fault(
        "backend: a deadline that has passed is not noticed",
        "csp_mines/backend.py",
        "        if self.left <= 0:\n            raise self.missed()",
        "        if self.left <= -1e9:\n            raise self.missed()",
        "tests/solvers/test_interruption.py::test_a_deduction_keeps_its_time",
    ),
    Fault(
        "analysis: ties go to the cell with the most neighbours",
        "csp_mines/analysis/move.py",
        "key=lambda cell: (neighbours(cell), cell))",
        "key=lambda cell: (-neighbours(cell), cell))",
        "tests/analysis/test_move.py",
    ),
    Fault(
        "analysis: swapped arguments where two clues prove a cell",
        "csp_mines/analysis/clue_sets.py",
        "_pair_proves(*pair, cell, mine)",
        "_pair_proves(*reversed(pair), cell, mine)",
        "tests/analysis/test_clue_sets.py",
    ),
    Fault(
        "explanation: a case needs no contradiction",
        "csp_mines/explanation/argument.py",
        "                and step.inside[-1].sentence.impossible\n",
        "",
        "tests/explanation/test_explain.py",
    ),
    Fault(
        "explanation: both witnesses have a mine at the cell",
        "csp_mines/explanation/witnesses.py",
        "yield {self.boxes[0][0]}, {self.boxes[0][1]}",
        "yield {self.boxes[0][0]}, {self.boxes[0][0]}",
        "tests/explanation/test_witnesses.py",
    ),
    Fault(
        "kernel: a mark counts as a guess",
        f"{KERNEL}/playing/record.hpp",
        "each_step(guesses, deed.kind == Move::guess)",
        "each_step(guesses, deed.kind == Move::guess || deed.kind == Move::mark)",
        "tests/native/test_games.py",
    ),
    Fault(
        "games: a cell that is opened again counts as deduced again",
        "csp_mines/games/playing.py",
        "deed.proved and not deed.again",
        "deed.proved",
        "tests/games/test_agents.py",
    ),
    Fault(
        "constraints: the frontier is given too many mines",
        "csp_mines/constraints.py",
        "return fewest, len(self.frontier) - safest",
        "return fewest + 1, len(self.frontier) - safest",
        "tests/test_constraints.py tests/conformance/test_adversarial.py",
    ),
    Fault(
        "games: false marks score",
        "csp_mines/games/game.py",
        "return max(0, self.marked - 2 * self._false_marks) / self.spec.mines",
        "return self.marked / self.spec.mines",
        "tests/games/test_game.py",
    ),
    Fault(
        "games: the least ratio for the greatest",
        "csp_mines/games/policies.py",
        "if ratio > greatest.get(cell, -1.0):",
        "if ratio < greatest.get(cell, 2.0):",
        "tests/games/test_agents.py",
    ),
    Fault(
        "games: the sum of ratios for their mean",
        "csp_mines/games/policies.py",
        "risks = {cell: share / counts[cell] for cell, share in sums.items()}",
        "risks = dict(sums)",
        "tests/games/test_agents.py",
    ),
    Fault(
        "generation: openings are left out of 3BV",
        "csp_mines/generation/layout_grades.py",
        "return Numbers(openings + int(alone.sum()), openings, _groups(geometry, alone))",
        "return Numbers(int(alone.sum()), openings, _groups(geometry, alone))",
        "tests/generation/test_layout_grades.py",
    ),
    Fault(
        "generation: 3BV counts cells beside one zero",
        "csp_mines/generation/layout_grades.py",
        "opened = zeros | (safe & (geometry.count(zeros) > 0))",
        "opened = zeros | (safe & (geometry.count(zeros) > 1))",
        "tests/generation/test_layout_grades.py",
    ),
    Fault(
        "generation: the checker of certificates drops the lower bound of the total",
        "csp_mines/generation/checker.py",
        "rows.append((list(range(len(sizes))), mines - (hidden - len(seen)), mines))",
        "rows.append((list(range(len(sizes))), 0, mines))",
        "tests/generation/test_certificates.py",
    ),
    Fault(
        "generation: the checker of certificates drops the upper bound of the total",
        "csp_mines/generation/checker.py",
        "rows.append((list(range(len(sizes))), mines - (hidden - len(seen)), mines))",
        "rows.append((list(range(len(sizes))), mines - (hidden - len(seen)), hidden))",
        "tests/generation/test_certificates.py",
    ),
    Fault(
        "formats: row and column of Tatham's first cell are swapped",
        "csp_mines/formats/tatham.py",
        "first = None if match[4] is None else (int(match[5]), int(match[4]))",
        "first = None if match[4] is None else (int(match[4]), int(match[5]))",
        "tests/formats/test_links.py tests/formats/test_round_trips.py",
    ),
    Fault(
        "formats: digits of a run are written in the wrong order",
        "csp_mines/formats/runs.py",
        "text = digits[digit] + text",
        "text += digits[digit]",
        "tests/formats/test_links.py tests/formats/test_round_trips.py",
    ),
    Fault(
        "simulation: the checksum of games is not compared",
        "csp_mines/simulation/run_file.py",
        "if batch[0] <= 0 and open_batches.pop(row[0])[1] != batch[2]:",
        "if batch[0] <= 0 and open_batches.pop(row[0])[1] is None:",
        "tests/simulation/test_run_file.py::test_a_changed_value_is_named_as_damage",
    ),
    Fault(
        "simulation: games of another run are taken",
        "csp_mines/simulation/run_file.py",
        "if head[0] != run:",
        "if head[0] is None:",
        "tests/simulation/test_run_file.py::test_games_of_another_run_are_refused",
    ),
    Fault(
        "simulation: resuming leaves out the last game",
        "csp_mines/simulation/game_numbers.py",
        "zip([0, *self._ends], [*self._begins, games], strict=True)",
        "zip([0, *self._ends], [*self._begins, games - 1], strict=True)",
        "tests/simulation/test_game_numbers.py",
    ),
    Fault(
        "simulation: the batch of a dead worker is lost",
        "csp_mines/simulation/workers.py",
        "            self.suspects.append(_Batch(batch.kind, batch.jobs, alone=True))\n",
        "",
        "tests/simulation/test_workers.py",
    ),
    Fault(
        "simulation: wrong sign in an interval",
        "csp_mines/simulation/statistics.py",
        "z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale",
        "z * sqrt(rate * (1 - rate) / trials - z * z / (4 * trials * trials)) / scale",
        "tests/simulation/test_statistics.py",
    ),
    Fault(
        "processes: a worker that died is not replaced",
        "csp_mines/processes.py",
        "            self.replace(worker)\n        self._tell(worker, message)",
        "            self._workers.discard(worker)\n        self._tell(worker, message)",
        "tests/test_processes.py",
    ),
    # --- the engines ----------------------------------------------------------------------------
    Fault(
        "single: the upper bound of a clue ignores mines that are known",
        "solvers/single.py",
        "                high[other] -= value\n",
        "",
        f"{CONTRACT}::test_promises_are_kept",
    ),
    Fault(
        "subtraction: swapped bounds",
        "solvers/subtraction.py",
        "self.tell(whole - part, low - part_high, high - part_low, depth)",
        "self.tell(whole - part, low - part_low, high - part_high, depth)",
        f"{CONTRACT}::test_analyses_boards_like_brute_force[native]",
    ),
    Fault(
        "pysat: a lower bound of 1 is dropped",
        "solvers/cnf.py",
        "        if low > 0:\n",
        "        if low > 1:\n",
        "tests/solvers/test_cnf.py",
    ),
    Fault(
        "pysat, cpsat: the key of a counted part leaves out what its clues ask for",
        "solvers/branching.py",
        "key = tuple(boxes), tuple((index, *asked[index]) for index in indexes)",
        "key = tuple(boxes), tuple((index, 0, 0) for index in indexes)",
        "tests/solvers/test_branching.py",
    ),
    Fault(
        "backbone: a box is certain when it has one mine",
        "solvers/backbone.py",
        "if values[box] == value and value in (0, len(model.boxes[box]))",
        "if values[box] == value and value in (0, 1)",
        f"{CONTRACT}::test_promises_are_kept",
    ),
    Fault(
        "native, pure: off by one in the bound of an open clue",
        "solvers/native/elimination.py",
        "        constraint.low - left,\n",
        "        constraint.low - left + 1,\n",
        "tests/native/test_exact_counts.py",
    ),
    # --- command line, server, page -------------------------------------------------------------
    Fault(
        "web: an Origin that is not ours passes the guard",
        "csp_mines/web/guard.py",
        'foreign = any(origin.lower() != f"http://{host}" for origin in headers.getlist("origin"))',
        'foreign = any("http" not in origin for origin in headers.getlist("origin"))',
        "tests/web/test_guard.py",
    ),
    Fault(
        "page: flags do not lower the number of mines left",
        "csp_mines/web/static/play.js",
        "String(won ? 0 : this.game.mines - this.flags.size);",
        "String(won ? 0 : this.game.mines);",
        "tests/web/test_page.py::test_flags_and_chords_by_hand",
    ),
    Fault(
        "page: taps are dropped while a turn is sent",
        "csp_mines/web/static/turns.js",
        "    this.queue.push(turn);\n",
        "    if (!this.sending) this.queue.push(turn);\n",
        "tests/web/test_faults.py::test_nothing_typed_or_tapped_is_lost",
    ),
    Fault(
        "page: flags are dropped while a turn is sent",
        "csp_mines/web/static/play.js",
        "    if (this.position.at(cell) !== HIDDEN || waits) return;\n",
        "    if (this.position.at(cell) !== HIDDEN || this.turns.sending) return;\n",
        "tests/web/test_faults.py::test_nothing_typed_or_tapped_is_lost",
    ),
    Fault(
        "page: a turn without an answer is not sent again",
        "csp_mines/web/static/turns.js",
        "if (!(answer.unanswered || busy) || attempt === ATTEMPTS) {",
        "if (true) {",
        "tests/web/test_faults.py::test_nothing_typed_or_tapped_is_lost",
    ),
    Fault(
        "page: the board does not scroll to a hint",
        "csp_mines/web/static/board.js",
        '  model.on("change:reveal", reveal);\n',
        "",
        "tests/web/test_faults.py::test_a_hint_is_scrolled_to_and_two_fingers_zoom",
    ),
    Fault(
        "page: two fingers cannot zoom the board",
        "csp_mines/web/static/board.css",
        "  touch-action: manipulation;\n  cursor: default;\n",
        "  touch-action: pan-x pan-y;\n  cursor: default;\n",
        "tests/web/test_faults.py::test_a_hint_is_scrolled_to_and_two_fingers_zoom",
    ),
    Fault(
        "page: the clock moves the board when it reaches 100 s",
        "csp_mines/web/static/page.css",
        "  width: 4.6rem; /* as wide for 1000 s as for 0 s */\n",
        "  display: block;\n",
        "tests/web/test_faults.py::test_a_board_never_jumps",
    ),
    Fault(
        "page: the end of a game moves the board",
        "csp_mines/web/static/play.js",
        "  async end() {\n",
        "  async end() {\n    this.mode.parentNode.hidden = true;\n",
        "tests/web/test_faults.py::test_a_board_never_jumps",
    ),
    Fault(
        "page: a dropped recording is read as text",
        "csp_mines/web/static/inbox.js",
        "{ data: await base64(given.file), name: given.file.name };\n",
        "{ text: await given.file.text(), name: given.file.name };\n",
        "tests/web/test_review_view.py::test_a_recording_is_dropped",
    ),
    Fault(
        "page: keys change the position in Ask",
        "csp_mines/web/static/analyse.js",
        '    else if (this.mode !== "draw") this.refuseKey(letter);\n',
        "",
        "tests/web/test_page.py::test_drawing_by_keyboard",
    ),
    Fault(
        "page: a small turn of the wheel counts as a notch",
        "csp_mines/web/static/board.js",
        "    if (Math.abs(this.wheeled.pixels) < NOTCH) return;\n",
        "",
        "tests/web/test_faults.py::test_the_wheel_and_the_overlay_without_numbers",
    ),
    Fault(
        "page: 2.5 rows are sent",
        "csp_mines/web/static/analyse.js",
        "within(1, Math.round(Number(inputs.rows.value)) || position.rows, longest)",
        "within(1, Number(inputs.rows.value) || position.rows, longest)",
        "tests/web/test_faults.py::test_wrong_links_files_and_numbers",
    ),
    Fault(
        "page: a link that cannot be decoded is an error",
        "csp_mines/web/static/analyse.js",
        "    return decodeURIComponent(link);\n  } catch {",
        "    return decodeURIComponent(link);\n  } catch (error) {\n    throw error;",
        "tests/web/test_faults.py::test_wrong_links_files_and_numbers",
    ),
    Fault(
        "page: a link without a position leaves an empty card",
        "csp_mines/web/static/analyse.js",
        "      this.tellUnread(report.error);\n      return false;\n",
        "      return false;\n",
        "tests/web/test_faults.py::test_wrong_links_files_and_numbers",
    ),
    Fault(
        "page: an old error stays after a board was read",
        "csp_mines/web/static/app.js",
        "  unsay();\n  if (report.format",
        "  if (report.format",
        "tests/web/test_faults.py::test_wrong_links_files_and_numbers",
    ),
    Fault(
        "page: Watch says for ever that the game is being played",
        "csp_mines/web/static/watch.js",
        "    if (refused) return this.tellRefused(refused.error);\n",
        "    if (refused) return;\n",
        "tests/web/test_faults.py::test_a_restarted_server",
    ),
    Fault(
        "page: the clock runs on after the game was lost by the server",
        "csp_mines/web/static/play.js",
        "    this.stopClock();\n    this.tick();\n",
        "",
        "tests/web/test_faults.py::test_a_restarted_server",
    ),
    Fault(
        "page: a restarted server ends the game",
        "csp_mines/web/static/turns.js",
        "      if (game?.status === 410) {",
        "      if (false) {",
        "tests/web/test_faults.py::test_a_restarted_server",
    ),
    Fault(
        "page: a reload ends the game",
        "csp_mines/web/static/play.js",
        "if (this.game || this.taken || (await this.resume())) return;",
        "if (this.game || this.taken) return;",
        "tests/web/test_faults.py::test_games_outlive_a_reload_and_end_only_when_asked",
    ),
    Fault(
        "page: a new game does not ask",
        "csp_mines/web/static/play.js",
        "    return !this.running || confirmed(",
        "    return true || confirmed(",
        "tests/web/test_faults.py::test_games_outlive_a_reload_and_end_only_when_asked",
    ),
    Fault(
        "page: two boards side by side are cut off",
        "csp_mines/web/static/page.css",
        "minmax(min(100%, 520px), 1fr)",
        "minmax(min(100%, 360px), 1fr)",
        "tests/web/test_faults.py::test_no_board_is_cut_off",
    ),
    Fault(
        "page: an expert board is cut off at 1024 pixels",
        "csp_mines/web/static/board.js",
        "const NARROWEST = 17;",
        "const NARROWEST = 21;",
        "tests/web/test_faults.py::test_no_board_is_cut_off",
    ),
    Fault(
        "page: an overlay without numbers empties the board",
        "csp_mines/web/static/analyse.js",
        "const table = gain || (overlay",
        "const table = GAINS.includes(overlay) ? gain : (overlay",
        "tests/web/test_faults.py::test_the_wheel_and_the_overlay_without_numbers",
    ),
    Fault(
        "page: the address that is printed does not have the board",
        "csp_mines/cli/web.py",
        'out().print(f"csp-mines is at {address} (',
        "out().print(f\"csp-mines is at {address.partition('#')[0]} (",
        "tests/web/test_command.py",
    ),
    Fault(
        "page: another level does not ask",
        "csp_mines/web/static/play.js",
        "    if (!(await this.mayLeave())) return this.levels.mark(this.choice.level);\n",
        "",
        "tests/web/test_faults.py::test_games_outlive_a_reload_and_end_only_when_asked",
    ),
    Fault(
        "page: a dropped layout ends the game without a question",
        "csp_mines/web/static/play.js",
        "    if (!(await this.mayLeave())) return;\n    if (!shape)",
        "    if (!shape)",
        "tests/web/test_haste.py::test_what_is_pasted_during_a_game",
    ),
    Fault(
        "page: a tap while a new game is made goes to the game before",
        "csp_mines/web/static/play.js",
        "    if (this.early) return void this.early.push(() => this.hear(message));\n",
        "",
        "tests/web/test_haste.py::test_new_games_in_haste",
    ),
    Fault(
        "page: an older request for a game is answered last",
        "csp_mines/web/static/play.js",
        "    if (dealt !== this.dealt) return false;\n",
        "",
        "tests/web/test_haste.py::test_new_games_in_haste",
    ),
    Fault(
        "page: the question about a new game has New game chosen",
        "csp_mines/web/static/dom.js",
        "    stay.focus(); // a key pressed in haste means no\n",
        "",
        "tests/web/test_haste.py::test_new_games_in_haste",
    ),
    Fault(
        "page: a busy server empties the queue of taps",
        "csp_mines/web/static/turns.js",
        "const busy = answer.status === BUSY;",
        "const busy = false;",
        "tests/web/test_haste.py::test_a_busy_server_loses_no_tap",
    ),
    Fault(
        "page: a hint may be about another position",
        "csp_mines/web/static/play.js",
        "if (!hinted || position !== this.position) return;",
        "if (!hinted) return;",
        "tests/web/test_haste.py::test_hints_in_haste",
    ),
    Fault(
        "page: a second key press does not ask for the step",
        "csp_mines/web/static/play.js",
        "    if (this.twice) this.showHint();\n",
        "",
        "tests/web/test_haste.py::test_hints_in_haste",
    ),
    Fault(
        "page: an explanation outlives its game",
        "csp_mines/web/static/play.js",
        "if (!explanation || review !== this.review) return;",
        "if (!explanation) return;",
        "tests/web/test_haste.py::test_a_look_back_that_comes_too_late",
    ),
    Fault(
        "page: a folder is an error that nobody sees",
        "csp_mines/web/static/inbox.js",
        "  } catch {\n    return refusal(",
        "  } catch (error) {\n    throw error;\n    return refusal(",
        "tests/web/test_haste.py::test_what_cannot_be_read",
    ),
    Fault(
        "page: a message has half the width of a phone",
        "csp_mines/web/static/page.css",
        "  width: max-content;\n",
        "",
        "tests/web/test_haste.py::test_what_cannot_be_read",
    ),
    Fault(
        "page: a link names what every object has",
        "csp_mines/web/static/app.js",
        "Object.hasOwn(views, wanted)",
        "wanted in views",
        "tests/web/test_haste.py::test_links_without_sense_and_the_way_back",
    ),
    Fault(
        "page: the card of a bad link stays on the way back",
        "csp_mines/web/static/analyse.js",
        "void (this.unread ? this.changed() : this.address())",
        "void this.address()",
        "tests/web/test_haste.py::test_links_without_sense_and_the_way_back",
    ),
    Fault(
        "page: an older sample is answered last",
        "csp_mines/web/static/analyse.js",
        'await this.loading.ask("read", { text })',
        'await ask("read", { text })',
        "tests/web/test_haste.py::test_the_position_that_was_chosen_last_is_shown",
    ),
    Fault(
        "page: a closed explanation opens again",
        "csp_mines/web/static/analyse.js",
        "    this.asking.cancel();\n",
        "",
        "tests/web/test_haste.py::test_the_position_that_was_chosen_last_is_shown",
    ),
    Fault(
        "page: an answer counts for the next exercise",
        "csp_mines/web/static/learn.js",
        "    this.answered = true; // until the position is there, there is nothing to answer\n",
        "",
        "tests/web/test_haste.py::test_answers_of_learn_belong_to_their_exercise",
    ),
    Fault(
        "page: a proof leaves the screen at another width",
        "csp_mines/web/static/view.js",
        '      this.model.set("reveal", this.model.get("reveal"));\n',
        "",
        "tests/web/test_haste.py::test_another_width_in_the_middle_of_a_proof",
    ),
    Fault(
        "page: Watch does not follow the agent",
        "csp_mines/web/static/watch.js",
        "    if (move) this.follow(move.cell);\n",
        "",
        "tests/web/test_haste.py::test_watch_follows_the_agent",
    ),
    Fault(
        "cli: several boards give the exit status of the last one",
        "csp_mines/cli/several.py",
        "status = max(status, treat(numbered, part))",
        "status = treat(numbered, part)",
        "tests/cli/test_several.py",
    ),
)


class Copy:
    """A copy of the repository at `root`, with a Python of its own that imports it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.python = root / ".venv" / "bin" / "python"
        self._build = root / "build" / "faults"

    def make(self) -> None:
        """Copy all files of the repository and compile the kernel."""
        names = _run("git", "ls-files", "-z", cwd=ROOT).split("\0")
        for name in filter(None, names):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.root / name)
        (self.root / "csp_mines" / "solvers").symlink_to("../solvers")
        venv = self.root / ".venv"
        _run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=self.root)
        packages = next(venv.glob("lib/python*/site-packages"))
        # A path file that lies elsewhere is not read, so the installed csp_mines stays unseen.
        packages.joinpath("copy.pth").write_text(f"{self.root}\n{sysconfig.get_path('purelib')}\n")
        script = venv / "bin" / "csp-mines"
        script.write_text(f"#!{self.python}\nfrom csp_mines.__main__ import main\n\nmain()\n")
        script.chmod(0o755)
        compileall.compile_dir(self.root, quiet=2)
        _run(
            "cmake", "-S", ".", "-B", str(self._build), "-G", "Ninja",
            f"-DPython_EXECUTABLE={self.python}", "-DCMAKE_BUILD_TYPE=Debug",
            "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -DNDEBUG",
            f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={self.root / 'solvers' / 'native'}",
            cwd=self.root,
        )  # fmt: skip
        self._compile()

    def _compile(self) -> None:
        _run("cmake", "--build", str(self._build), cwd=self.root)

    @contextmanager
    def having(self, fault: Fault) -> Iterator[None]:
        """Apply a fault within a `with` statement."""
        path = self.root / fault.file
        right = fault.right(self.root)
        compiled = fault.file.startswith(KERNEL)
        try:
            path.write_text(right.replace(fault.text, fault.changed), encoding="utf-8")
            if compiled:
                self._compile()
            yield
        finally:
            path.write_text(right, encoding="utf-8")
            if compiled:
                self._compile()

    def first_failure(self, *arguments: str, seconds: float) -> str | None:
        """Run tests, and return the first that fails, or None. The tests have `seconds`."""
        command = [self.python, "-m", "pytest", "-x", "-p", "no:cacheprovider", *arguments]
        # Bytecode is compared by seconds and size, which a fault may leave as they are.
        more = {"CSP_MINES_KERNEL": "compiled", "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.Popen(
            command, cwd=self.root, env=os.environ | more, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            shown, _ = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"no end within {seconds:.0f} s: {' '.join(arguments)}") from None
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
        if run.returncode == 0:
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (tests/.+?)(?: - |$)", shown, re.MULTILINE)
        if failed is None:
            raise SystemExit(f"the tests did not run:\n{shown}")
        return failed[1]

    def noticed_by(self, fault: Fault) -> str:
        """Return the test that fails because of the fault. If there is none, return what is wrong
        in bold letters."""
        with self.having(fault):
            failed = self.first_failure(*fault.tests.split(), seconds=FIRST_SECONDS)
            failed = failed or self.first_failure("-n", "2", seconds=WHOLE_SECONDS)
        if failed and self.first_failure(failed, seconds=FIRST_SECONDS):
            return f"**{failed} fails without the fault, too**"
        return failed or "**nothing**"


def _run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def counted() -> str:
    """How many faults there are in each part of the project. All must fit the present code."""
    for fault in FAULTS:
        fault.right()
    parts = Counter(
        "the kernel" if fault.file.startswith(KERNEL)
        else "the engines" if fault.file.startswith("solvers/")
        else "the command line, the server and the page"
        if fault.file.startswith(("csp_mines/cli/", "csp_mines/web/"))
        else "the rest of the library"
        for fault in FAULTS
    )  # fmt: skip
    some = ", ".join(f"{number} in {part}" for part, number in parts.most_common())
    return f"There are {len(FAULTS)} faults: {some}."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of the name of a fault")
    parser.add_argument("--count", action="store_true", help="only say how many there are")
    options = parser.parse_args()
    if options.count:
        print(counted())
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # cleans up, too
    chosen = [
        fault
        for fault in FAULTS
        if not options.names or any(name in fault.name for name in options.names)
    ]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="csp-mines-faults-") as folder:
        copy = Copy(Path(folder))
        copy.make()
        print("| fault | noticed by | seconds |\n|---|---|---|", flush=True)
        for fault in chosen:
            begin = time.perf_counter()
            failed = copy.noticed_by(fault)
            missed += failed.startswith("**")
            seconds = time.perf_counter() - begin
            print(f"| {fault.name} | {failed} | {seconds:.0f} |", flush=True)
    print(f"\n{len(chosen) - missed} of {len(chosen)} faults were noticed.")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
