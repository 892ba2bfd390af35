"""Similarity of two short texts, from their edit distance."""


def similarity(one: str, other: str) -> float:
    """Return 1 - edit distance / length of the longer text: 1.0 for equal texts, 0.0 for entirely different ones."""
    longer = max(len(one), len(other))
    return 1.0 if longer == 0 else 1.0 - edit_distance(one, other) / longer


def edit_distance(one: str, other: str) -> int:
    """Return the Levenshtein distance, computed with Myers' bit-vector algorithm in Hyyrö's variant."""
    if one == other:
        return 0
    if not one or not other:
        return len(one) or len(other)
    places: dict[str, int] = {}
    for index, char in enumerate(one):
        places[char] = places.get(char, 0) | 1 << index
    last = 1 << (len(one) - 1)
    full = (last << 1) - 1
    rising, falling, distance = full, 0, len(one)
    for char in other:
        equal = places.get(char, 0)
        vertical = equal | falling
        diagonal = (((equal & rising) + rising) ^ rising) | equal
        up = falling | ~(diagonal | rising) & full
        down = rising & diagonal
        distance += (up & last != 0) - (down & last != 0)
        up = (up << 1 | 1) & full
        rising = (down << 1 | ~(vertical | up)) & full
        falling = up & vertical
    return distance
