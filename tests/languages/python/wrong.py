"""Each answer is wrong in its own way."""

import ptp


class Wrong(ptp.Transform):
    """Fails as it is asked to."""

    settings = [ptp.setting("answer", str, required=True, help="What to do",
                            choices=["text", "two", "nothing", "complex", "missing", "data", "ragged",
                                     "exit", "setting", "module", "negative"])]
    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers"),
             ptp.output("outputs", ptp.FLOAT, "B, width", "Numbers")]

    def __init__(self, settings, setup):
        self.answer = settings.answer
        if self.answer == "setting":
            raise ptp.SettingError("answer", "is refused by the constructor")
        if self.answer == "module":
            import a_module_that_is_missing

    def forward(self, inputs):
        if self.answer == "missing":
            return self.look_up({})
        if self.answer == "data":
            raise ptp.DataError("there is no such sample")
        if self.answer == "exit":
            raise SystemExit(7)
        if self.answer == "negative":
            return memoryview(inputs)[::-1]
        return {"text": "text", "two": (1, 2), "nothing": None, "complex": [[1j]],
                "ragged": [[1, 2], [3]]}[self.answer]

    def look_up(self, table):
        return table["missing"]


class Score(ptp.Statistic):
    """Returns numbers as it is asked to."""

    settings = [ptp.setting("answer", str, default="right", help="What to return",
                            choices=["right", "float", "other", "text", "nothing"])]
    ports = [ptp.input("inputs", ptp.FLOAT, "B, width", "Numbers")]
    statistics = [ptp.mean("score", "A number")]

    def __init__(self, settings, setup):
        self.answer = settings.answer

    def forward(self, inputs):
        pass

    def collect(self, set):
        return {"right": {"score": 1.0}, "float": 0.5, "other": {"scores": 1.0},
                "text": {"score": "0.5"}, "nothing": {"score": None}}[self.answer]
