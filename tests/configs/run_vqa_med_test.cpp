// Experiments with VQA-Med run to their end, on a few samples. There are many of them, made of the
// same parts: these are enough to have each part and each type of component in one of them. All are
// checked in check_test.cpp, and run in the slow tests.

#include "run_each.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace run_vqa_med_test {

namespace {

using Names = std::set<std::string>;

// "parts/classifier.toml", "type = \"Softmax\"".
Names parts_of(const std::string& experiment) {
    std::ifstream file(ptp::test::configs_dir() / experiment);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    static const std::regex kPart("parts/[a-z0-9_]+\\.toml|type = \"[A-Za-z0-9]+\"");
    Names parts;
    for (std::sregex_iterator match(text.begin(), text.end(), kPart);
         match != std::sregex_iterator(); ++match) {
        parts.insert(match->str());
    }
    return parts;
}

// One after the other the experiment with most parts that none before it has.
std::vector<std::string> with_all_parts(const std::vector<std::string>& experiments) {
    std::map<std::string, Names> left;
    for (const std::string& name : experiments) {
        left[name] = parts_of(name);
    }
    std::vector<std::string> chosen;
    for (;;) {
        const auto most = std::ranges::max_element(
            left, {}, [](const auto& experiment) { return experiment.second.size(); });
        if (most == left.end() || most->second.empty()) {
            return chosen;
        }
        chosen.push_back(most->first);
        const Names known = most->second;
        for (auto& [name, parts] : left) {
            std::erase_if(parts,
                          [&known](const std::string& part) { return known.contains(part); });
        }
    }
}

}  // namespace

TEST_CASE("configs: with VQA-Med, experiments of all parts train and validate") {
    const auto all = ptp::test::experiments("vqa_med_2019/");
    const auto chosen = with_all_parts(all);
    CHECK(chosen.size() > 5);
    CHECK(chosen.size() < all.size() / 2);
    ptp::test::run_each(chosen);
}

}  // namespace run_vqa_med_test
