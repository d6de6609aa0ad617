// Every optimizer of the list against PyTorch: see tests/golden/optimizers.py.

#include "base/toml_reader.hpp"
#include "engine/optimizer/optimizer.hpp"
#include "schema/one_of.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace optimizer_golden_test {

using namespace ptp;

namespace {

struct Golden {
    std::string options;
    std::string group;
    std::vector<double> weights;  // four after each step
};

std::vector<Golden> goldens() {
    std::ifstream file(test::source_dir() / "tests/golden/optimizers.txt");
    std::vector<Golden> found;
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(" ; ");
        const std::size_t second = line.find(" ; ", first + 1);
        Golden golden{line.substr(0, first), line.substr(first + 3, second - first - 3), {}};
        std::istringstream numbers(line.substr(second + 3));
        for (double number = 0; numbers >> number;) {
            golden.weights.push_back(number);
        }
        found.push_back(std::move(golden));
    }
    return found;
}

template <class Read>
auto with_table(const std::string& text, Read read) {
    Diagnostics problems;
    const auto tree = read_toml("table = " + text, "golden", problems);
    REQUIRE(tree);
    const schema::ReadOptions options;
    const Value& table = *tree->find("table");
    const auto result = read(schema::Scope{table, "optimizer", options, problems});
    REQUIRE_MESSAGE(problems.ok(), problems.text());
    return result;
}

}  // namespace

TEST_CASE("optimizer: the weights equal PyTorch's, for two groups with options of their own") {
    for (const Golden& golden : goldens()) {
        CAPTURE(golden.options);
        const optimizer::Any options = with_table(golden.options, [](const schema::Scope& scope) {
            return *schema::read_one_of<optimizer::Any>(scope, "");
        });
        const optimizer::Any of_group = with_table(golden.group, [&](const schema::Scope& scope) {
            optimizer::Any changed = options;
            schema::read_as_one_of(changed, scope, {}, [](auto& one) {
                std::vector<schema::Field> fields = one.fields();
                for (schema::Field& field : fields) {
                    field.is_required = false;
                }
                return fields;
            });
            return changed;
        });
        const at::Tensor a = torch::tensor({1.0, -2.0}, at::kDouble).requires_grad_();
        const at::Tensor b = torch::tensor({0.5, 1.0}, at::kDouble).requires_grad_();
        const auto optimizer =
            engine::make_optimizer({{"", options, {{"a", a}}}, {"b", of_group, {{"b", b}}}});
        REQUIRE(golden.weights.size() == 32);
        for (std::size_t i = 0; i < golden.weights.size(); i += 4) {
            optimizer->forget_gradients();
            const at::Tensor loss =
                1.5 * a[0].pow(2) - a[1] + a[1].pow(2) + (a[0] * b[0] - 1).pow(2) + b[1].pow(4);
            loss.backward();
            optimizer->step();
            CAPTURE(i);
            CHECK(a[0].item<double>() == doctest::Approx(golden.weights[i]).epsilon(1e-11));
            CHECK(a[1].item<double>() == doctest::Approx(golden.weights[i + 1]).epsilon(1e-11));
            CHECK(b[0].item<double>() == doctest::Approx(golden.weights[i + 2]).epsilon(1e-11));
            CHECK(b[1].item<double>() == doctest::Approx(golden.weights[i + 3]).epsilon(1e-11));
        }
    }
}

TEST_CASE("optimizer: every type that needs no closure has golden weights") {
    std::set<std::string> named;
    for (const Golden& golden : goldens()) {
        const std::size_t begin = golden.options.find('"') + 1;
        named.insert(golden.options.substr(begin, golden.options.find('"', begin) - begin));
    }
    const std::set<std::string> wanted = []<class... Types>(const std::variant<Types...>&) {
        std::set<std::string> names;
        ((optimizer::kNeedsClosure<Types> ? (void)0 : (void)names.emplace(Types::kName)), ...);
        return names;
    }(optimizer::Any());
    CHECK(named == wanted);
}

}  // namespace optimizer_golden_test
