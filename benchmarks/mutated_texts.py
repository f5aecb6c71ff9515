"""Read mutated texts in all notations: each gives an error or a board of the right shape.

python benchmarks/mutated_texts.py [--texts 100000] [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.formats.mutations import check, mutated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    numbers = random.Random(arguments.seed)
    kinds: Counter[str] = Counter()
    slowest = 0.0
    for number in range(arguments.texts):
        text, name = mutated(numbers)
        try:
            kind, seconds = check(text, name)
        except BaseException:
            which = f"text {number} of seed {arguments.seed}, format {name}"
            print(f"{which}: {text!r}", file=sys.stderr)
            raise
        kinds[kind] += 1
        if seconds > slowest:
            slowest = seconds
            print(f"slowest so far: {seconds:.3f} s for {text[:60]!r}", file=sys.stderr)
    found = ", ".join(f"{count:,} {kind}s" for kind, count in kinds.most_common())
    print(f"{arguments.texts:,} mutated texts gave {found}, and nothing else. The slowest took "
          f"{slowest:.2f} s.")  # fmt: skip


if __name__ == "__main__":
    main()
