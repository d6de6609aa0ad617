"""Prints the answers and the objects of the first samples of SortOfCLEVR, computed independently.

The numbers stand in tests/plugins/sort_of_clevr_test.cpp. Usage: sort_of_clevr.py
"""

M = 2**64 - 1
ANSWERS = ["yes", "no", "square", "circle", "1", "2", "3", "4", "5", "6"]


def finish(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return z ^ (z >> 31)


def mix(a, b):
    return finish((a * 0x9E3779B97F4A7C15 + b + 0x9E3779B97F4A7C15) & M)


class Random:
    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & M
        return finish(self.state)

    def below(self, n):
        while True:
            drawn = self.bits()
            if drawn >= 2**64 % n:
                return drawn % n

    def coin(self):
        return self.bits() >= 2**63


def scene(rng, side):
    radius = side // 15
    objects = []
    for _ in range(6):
        form = "circle" if rng.coin() else "square"
        while True:
            row = radius + rng.below(side - 2 * radius)
            column = radius + rng.below(side - 2 * radius)
            if all(abs(row - r) > 2 * radius or abs(column - c) > 2 * radius for _, r, c in objects):
                break
        objects.append((form, row, column))
    return objects


def answer(objects, color, relational, subtype, side):
    form, row, column = objects[color]
    if not relational:
        return [form, "yes" if column < side / 2 - 0.5 else "no", "yes" if row < side / 2 - 0.5 else "no"][subtype]
    if subtype == 2:
        return str(sum(o[0] == form for o in objects))
    distances = {}
    for i, (other, r, c) in enumerate(objects):
        if i != color:
            distances.setdefault((r - row) ** 2 + (c - column) ** 2, set()).add(other)
    forms = distances[min(distances) if subtype == 0 else max(distances)]
    return forms.pop() if len(forms) == 1 else None


def sample(seed, split, index, side=75, questions_per_image=1):
    image = mix(mix(seed, split), index // questions_per_image)
    objects = scene(Random(image), side)
    rng = Random(mix(image, index % questions_per_image))
    while True:
        color, relational, subtype = rng.below(6), rng.coin(), rng.below(3)
        found = answer(objects, color, relational, subtype, side)
        if found is not None:
            return objects, color, relational, subtype, found


def show(*settings):
    samples = [sample(0, 0, i, *settings) for i in range(12)]
    print("settings", settings)
    print("answers", [found for *_, found in samples])
    print("colors", [color for _, color, *_ in samples])
    print("types", [subtype + 3 * relational for _, _, relational, subtype, _ in samples])
    print("first objects", [objects[0] for objects, *_ in samples[:6]])


show()
show(75, 4)
