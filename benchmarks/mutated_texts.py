"""Read mutated texts in all notations: each gives an error or a board of the right shape.

python benchmarks/mutated_texts.py [--texts 100000] [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import sys
import time
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
    slowest, begin = (0.0, ""), time.perf_counter()
    for number in range(arguments.texts):
        text, name = mutated(numbers)
        try:
            kind, seconds = check(text, name)
        except BaseException:
            print(f"text {number} of seed {arguments.seed}, format {name}: {text!r}")
            raise
        kinds[kind] += 1
        slowest = max(slowest, (seconds, text[:60]))
    seconds = time.perf_counter() - begin
    found = ", ".join(f"{count:,} {kind}s" for kind, count in kinds.most_common())
    print(f"{arguments.texts:,} texts in {seconds:.0f} s: {found}")
    print(f"slowest: {slowest[0]:.3f} s for {slowest[1]!r}")


if __name__ == "__main__":
    main()
