// --set that a bundle refuses: errors name the --set, and no fix is the command that was given.

#include "runs/bundled.hpp"
#include "runs/grey_images.hpp"
#include "runs/kinds.hpp"
#include "runs/predictions.hpp"
#include "support/replaced.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace bundle_set_test {

using namespace ptp::test;

namespace {

constexpr const char* kSplit = R"(split = { shares = [0.5, 0.5] }
[validation]
task = { type = "Table", file = "rows.csv", features = ["x", "color"], label = "kind", batch_size = 8, split = { shares = [0.5, 0.5] } }
)";

// A bundle of a model for rows.
class Kinds : public TempFolder {
public:
    Kinds() {
        write("rows.csv", ptp::test::kinds());
        write("new.csv", "x,color\n1,red\n");
        train_run(*this, ptp::test::kinds_experiment(2, kSplit));
        REQUIRE(ptprun({"bundle", file("run"), "-o", file("k.ptpm")}).status == 0);
    }

    [[nodiscard]] std::string file(const char* name) const { return (path() / name).string(); }

    // The errors of a prediction with this --set, with the test's folder as T.
    [[nodiscard]] std::string errors(const std::string& set) const {
        const ptp::test::ProcessResult result =
            ptprun({"predict", file("k.ptpm"), "--data", file("new.csv"), "--quiet", "--set", set});
        return replaced(result.errors, path().string(), "T");
    }
};

}  // namespace

TEST_CASE("bundle: a setting that the data replace is named with its section, and left out") {
    const Kinds kinds;
    CHECK(kinds.errors("validation.task.training_file=\"other.csv\"") ==
          "--set: error: validation.task.training_file: has no effect: --data has what is "
          "predicted\n"
          "    fix: ptprun predict T/k.ptpm --data T/new.csv --quiet\n");
}

TEST_CASE("bundle: a refused setting in a table that was set names the table, which is left out") {
    const Kinds kinds;
    CHECK(kinds.errors("validation.task={ type = \"Table\", file = \"rows.csv\", label = \"kind\", "
                       "features = [\"color\", \"x\"] }") ==
          "--set: error: validation.task: features: cannot be set in T/k.ptpm, where samples are "
          "prepared as in the training: it declares no parameters\n"
          "    fix: ptprun predict T/k.ptpm --data T/new.csv --quiet\n"
          "--set: error: validation.task: file: has no effect: --data has what is predicted\n"
          "    fix: ptprun predict T/k.ptpm --data T/new.csv --quiet\n"
          "2 errors\n");
    CHECK(kinds.errors("validation.task={ features = [\"color\", \"x\"] }") ==
          "--set: error: validation.task: features: cannot be set in T/k.ptpm, where samples are "
          "prepared as in the training: it declares no parameters\n"
          "    fix: ptprun predict T/k.ptpm --data T/new.csv --quiet\n");
}

TEST_CASE("bundle: images of another form are read by another task, as the fix says") {
    const Bundled bundled;
    const std::string image = (bundled.path() / "pictures/a.png").string();
    ptp::test::write_grey(image, 100);
    const std::string refused =
        ptprun({"predict", bundled.model(), "--data", image, "--quiet"}).errors;
    const std::string begin = "--set 'test.task={ type = \"ImageFolder\", ";
    const std::size_t at = refused.find(begin);
    REQUIRE(at != std::string::npos);
    const std::size_t first = at + begin.find("test");
    const std::string set = refused.substr(first, refused.find('\'', first) - first);
    const auto predicted = [&](const std::string& value) {
        return ptp::test::predict({bundled.model(), "--data", image, "--quiet", "--set", value});
    };
    const auto followed = predicted(set);
    CHECK(followed.errors == "");
    CHECK(ptp::test::rows_of(followed.output).size() == 1);
    // Everything but sizes is prepared as in the training.
    std::string other = set;
    other.insert(other.rfind(" }"), ", normalize = { mean = 0.5, std = 0.5 }");
    CHECK(bundled.shown(predicted(other).errors)
              .starts_with("--set: error: test.task: normalize: cannot be set in T/model.ptpm, "
                           "where samples are prepared as in the training: it declares no "
                           "parameters\n"));
}

}  // namespace bundle_set_test
