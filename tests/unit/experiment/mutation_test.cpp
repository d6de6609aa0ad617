// Damaged experiments are refused or read, but never bring the program down.

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/override.hpp"
#include "experiment/load/steps.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

namespace mutation_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

class Mutator {
public:
    std::string mutate(std::string text) {
        const std::size_t count = 1 + below(8);
        for (std::size_t i = 0; i < count; ++i) {
            change(text);
        }
        return text;
    }

    std::size_t below(std::size_t limit) { return random_() % limit; }

private:
    void change(std::string& text) {
        static const std::array<std::string, 16> kPieces = {
            "[", "]",  "\"",   "'",  "\"\"\"", "{",   "}",    "=",
            ".", "\n", "${v}", "${", "-1",     "nan", "\xff", "a.b"};
        const std::size_t at = below(text.size() + 1);
        switch (below(5)) {
            case 0:
                text.insert(at, kPieces[below(kPieces.size())]);
                break;
            case 1:
                text.erase(at, below(12));
                break;
            case 2:
                text.insert(at, 1, static_cast<char>(below(256)));
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(60)));
                break;
            default:
                text.replace(at, below(4), kPieces[below(kPieces.size())]);
                break;
        }
    }

    std::mt19937_64 random_{20240501};
};

}  // namespace

TEST_CASE("mutation: damaged experiments are judged, and what is accepted can be recorded") {
    const std::string start =
        "[vars]\nv = [1, 2.5]\n" +
        replaced(kExample, "name = \"digits\"\nseed = 7\ndevice = \"cuda:1\"\n", "");
    Mutator mutator;
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = mutator.mutate(start);
        Diagnostics problems;
        std::optional<Value> root = read_toml(text, "x.toml", problems);
        CHECK(root.has_value() == problems.ok());
        if (!root) {
            continue;
        }
        const std::string words = mutator.mutate("training.task.batch_size=[1, 2]");
        if (const auto override = read_override(words, 1, problems)) {
            apply_override(*override, *root, problems);
        }
        substitute_vars(*root, problems);
        const Experiment experiment = read_experiment(*root, {.default_name = "x"}, problems);
        (problems.ok() ? accepted : refused) += 1;
        if (!problems.ok()) {
            CHECK(problems.text() != "");
        }
        if (!problems.ok()) {
            continue;
        }
        Diagnostics again;
        const std::string record = to_toml(resolved_tree(experiment));
        const auto reread = read_toml(record, "record.toml", again);
        REQUIRE_MESSAGE(reread, again.text() << "\n" << record);
        const Experiment second = read_experiment(*reread, {.default_name = "x"}, again);
        CHECK_MESSAGE(again.text() == "", record);
        CHECK(resolved_tree(second) == resolved_tree(experiment));
    }
    CHECK(accepted > 0);
    CHECK(refused > 0);
}

}  // namespace mutation_test
