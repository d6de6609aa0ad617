#include "ptp-cases/case_file.hpp"

#include <doctest/doctest.h>

#include <string>

namespace case_file_test {

namespace {

using namespace ptp;

// What is wrong with a file of this text, whose first line has what every file has; "" if nothing.
std::string problems_with(const std::string& text) {
    Diagnostics problems;
    cases::read_case_file("source = \"hand\"\ncomponent = \"C\"\n" + text, "c.toml", problems);
    return problems.text();
}

// The same of the keys of a single case, which begin in line 5.
std::string problems_with_case(const std::string& keys) {
    return problems_with("[[case]]\nname = \"n\"\n" + keys);
}

std::string problems_with_tensor(const std::string& tensor) {
    return problems_with_case("counting = true\ninputs.x = " + tensor);
}

}  // namespace

TEST_CASE("case file: source, component and cases are required") {
    Diagnostics problems;
    cases::read_case_file("", "c.toml", problems);
    CHECK(problems.text() ==
          "c.toml: source: required, but missing: a string (where the expected numbers come from: "
          "a formula, hand work, a script)\n"
          "c.toml: component: required, but missing: a string (its type, or plugin/type)\n"
          "c.toml: case: required, but missing: a value (the cases)");
    CHECK(problems_with("case = 1") == "c.toml:3:8: case: must be tables [[case]]");
    CHECK(problems_with("[[case]]\ncounting = true") ==
          "c.toml:3:1: case[0].name: required, but missing: a string (a sentence: what is tested)");
}

TEST_CASE("case file: unknown keys are refused wherever they are") {
    CHECK(problems_with("sorce = \"s\"\n[[case]]\nname = \"n\"\ncounting = true") ==
          "c.toml:3:1: sorce: unknown key; did you mean 'source'?");
    CHECK(problems_with("sorce = 1\n[[case]]\nname = \"n\"\ncounting = true") ==
          "c.toml:3:1: sorce: unknown key; known: source, component, all, numbers, case");
    CHECK(problems_with_case("expects = {}\ncounting = true") ==
          "c.toml:5:1: case[0].expects: unknown key; did you mean 'expect'?");
    CHECK(problems_with_case("expect.outputz.y = 1.0") ==
          "c.toml:5:8: case[0].expect.outputz: unknown key; did you mean 'outputs'?");
    CHECK(problems_with_case("[[case.step]]\nresett = true\nexpect = {}") ==
          "c.toml:6:1: case[0].step[0].resett: unknown key; did you mean 'reset'?");
    CHECK(problems_with_tensor("{ formula = \"sines\", shap = [2] }") ==
          "c.toml:6:33: case[0].inputs.x.shap: unknown key; did you mean 'shape'?");
    CHECK(problems_with_case("refused.datum = \"x\"") ==
          "c.toml:3:1: case[0]: expects nothing: must have expect, refused, counting or step\n"
          "c.toml:5:1: case[0].refused = { datum = \"x\" }: must have either a config, a data, an "
          "internal or an internal_with\n"
          "c.toml:5:9: case[0].refused.datum: unknown key; known: config, data, internal, "
          "internal_with");
}

TEST_CASE("case file: a case must expect something, and its names must differ") {
    CHECK(problems_with_case("seed = 2") ==
          "c.toml:3:1: case[0]: expects nothing: must have expect, refused, counting or step");
    CHECK(problems_with_case("[[case.step]]\nseed = 2") ==
          "c.toml:5:1: case[0].step: the last step expects nothing: must have expect or refused");
    CHECK(problems_with_case("expect = {}\nrefused.data = \"x\"") ==
          "c.toml:5:10: case[0].expect = {}: a step that is refused has nothing else to expect");
    CHECK(problems_with_case("training = true\n[[case.step]]\nexpect = {}") ==
          "c.toml:5:12: case[0].training: belongs into a step, because the case has steps");
    CHECK(problems_with_case("counting = true\n[[case]]\nname = \"n\"\ncounting = true") ==
          "c.toml:7:8: case[1].name = \"n\": another case or step of the file has this name");
}

TEST_CASE("case file: expectations may have a name, and all that have one are used") {
    const std::string numbers = "\n[numbers.plain]\noutputs.y = 1.0";
    CHECK(problems_with_case("expect = \"plain\"" + numbers).empty());
    CHECK(
        problems_with_case("expect = \"plian\"" + numbers) ==
        "c.toml:5:10: case[0].expect = \"plian\": no table [numbers.plian]; did you mean 'plain'?");
    CHECK(problems_with_case("expect = {}" + numbers) ==
          "c.toml:6:10: numbers.plain: no case has these numbers");
    CHECK(problems_with_case("expect = 1") ==
          "c.toml:5:10: case[0].expect = 1: must be a table, or the name of one in [numbers]");
}

TEST_CASE("case file: tensors that are not tensors are refused with their place") {
    const struct {
        const char* tensor;
        const char* problem;
    } cases[] = {
        {"[[1, 2], [3]]",
         "c.toml:6:21: case[0].inputs.x = [3]: must have 2 items, as the first list "
         "beside it, has 1"},
        {"[[1, 2], 3]",
         "c.toml:6:21: case[0].inputs.x = 3: must be a list, as the first item beside it"},
        {"[1, [2]]",
         "c.toml:6:16: case[0].inputs.x = [2]: must be a number, as the first item beside it"},
        {"[1, true]",
         "c.toml:6:12: case[0].inputs.x = [1, true]: must not mix booleans and numbers"},
        {"[1, \"a\"]",
         "c.toml:6:16: case[0].inputs.x = \"a\": must be a number or a boolean, not a string"},
        {"[\"a\", 1]", "c.toml:6:18: case[0].inputs.x = 1: must be a list of strings"},
        {"[[\"a\"], \"b\"]", "c.toml:6:20: case[0].inputs.x = \"b\": must be a list of strings"},
        {"{ shape = [2] }",
         "c.toml:6:12: case[0].inputs.x = { shape = [2] }: must have either a values or a formula"},
        {"{ formula = \"sine\", shape = [2] }",
         "c.toml:6:24: case[0].inputs.x.formula = \"sine\": must be one of sines, waves, range, "
         "squares, stairs, masks, weights, fill; did you mean 'sines'?"},
        {"{ values = [1], dtype = \"float\" }",
         "c.toml:6:36: case[0].inputs.x.dtype = \"float\": must be one of float32, float64, "
         "bfloat16, int64, int16, int8, uint8, bool; did you mean 'float32'?"},
        {"{ values = [1], replaced = 1 }",
         "c.toml:6:39: case[0].inputs.x.replaced = 1: must be a list of tables"},
        {"{ values = [1], replaced = [1] }",
         "c.toml:6:40: case[0].inputs.x.replaced = 1: must be a table, such as { at = [0, 1], "
         "value = nan }"},
        {"{ values = [1], replaced = [{ at = [0], value = true }] }",
         "c.toml:6:60: case[0].inputs.x.replaced.value = true: must be a number"},
        {"{ list = 1 }", "c.toml:6:21: case[0].inputs.x.list = 1: must be a list of tensors"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.tensor);
        CHECK(problems_with_tensor(one.tensor) == one.problem);
    }
}

TEST_CASE("case file: a tolerance for CUDA devices replaces the other one there") {
    Diagnostics problems;
    cases::CaseFile file = cases::read_case_file(
        "source = \"hand\"\ncomponent = \"C\"\n"
        "[[case]]\nname = \"both\"\nexpect = {}\n"
        "tolerance = { relative = 1e-5, absolute = 1e-6, cuda = { absolute = 0.5 } }\n"
        "[[case]]\nname = \"one\"\nexpect = {}\ntolerance = { relative = 1e-5 }",
        "c.toml", problems);
    CHECK(problems.text().empty());
    const auto tolerance = [&](int of) { return file.cases.at(of).steps.at(0).tolerance; };
    CHECK(tolerance(0).relative == 1e-5);
    CHECK(tolerance(0).absolute == 1e-6);
    cases::use_cuda_tolerances(file);
    CHECK(tolerance(0).relative == 0);
    CHECK(tolerance(0).absolute == 0.5);
    CHECK(tolerance(1).relative == 1e-5);
    CHECK(tolerance(1).absolute == 0);
}

TEST_CASE("case file: a tolerance for CUDA devices has the keys and limits of the other one") {
    const auto problems = [](const std::string& tolerance) {
        return problems_with_case("expect = {}\ntolerance" + tolerance);
    };
    CHECK(problems(".cuda.absolute = -1.0") ==
          "c.toml:6:27: case[0].tolerance.cuda.absolute = -1.0: must be in [0, inf)");
    CHECK(problems(".cuda.relative = 1.0") ==
          "c.toml:6:27: case[0].tolerance.cuda.relative = 1.0: must be in [0, 1)");
    CHECK(problems(".cuda.cuda = {}") ==
          "c.toml:6:16: case[0].tolerance.cuda.cuda: unknown key; known: relative, absolute");
    CHECK(problems(".cuda = 1") ==
          "c.toml:6:18: case[0].tolerance.cuda = 1: must be a table, not an integer");
    CHECK(problems(".cude = {}") ==
          "c.toml:6:11: case[0].tolerance.cude: unknown key; did you mean 'cuda'?");
}

TEST_CASE("case file: steps and sizes are of their kind") {
    CHECK(problems_with_case("step = 1") ==
          "c.toml:5:8: case[0].step: must be tables [[case.step]]");
    CHECK(problems_with_case("counting = true\nsizes.n = 1.5") ==
          "c.toml:6:11: case[0].sizes.n = 1.5: must be an integer");
}

}  // namespace case_file_test
