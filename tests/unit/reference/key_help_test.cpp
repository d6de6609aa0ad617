#include "reference/key_help.hpp"

#include "experiment/key_record.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using ptp::Value;

// One experiment for each type of optimizer, scheduler and sampler has all keys between them.
std::vector<Value> experiments() {
    std::vector<Value> trees;
    Value plain = Value::table({{"pipeline", Value::table({{"net", Value()}})}});
    const ptp::experiment::KeyRecord keys = ptp::experiment::possible_keys(plain);
    for (const char* table : {"optimizer", "scheduler", "sampler"}) {
        const auto* type = keys.find(std::string("training.") + table, "type");
        REQUIRE(type != nullptr);
        for (const std::string& name : type->choices) {
            Value tree = plain;
            Value training;
            training.set(table, Value::table({{"type", name}}));
            tree.set("training", training);
            trees.push_back(tree);
        }
    }
    return trees;
}

}  // namespace

TEST_CASE("key help: every key that ptp reads has help") {
    for (const Value& tree : experiments()) {
        const auto keys = ptp::experiment::possible_keys(tree);
        for (const auto& [table, members] : keys.tables()) {
            for (const auto& key : members) {
                const std::string path = table.empty() ? key.name : table + "." + key.name;
                CAPTURE(path);
                CHECK(ptp::reference::key_help(path) != "");
            }
        }
    }
}

TEST_CASE("key help: a star stands for one part of a path") {
    using ptp::reference::key_help;
    CHECK(key_help("test.dataloader.prefetch") == "batches that may wait ready");
    CHECK(key_help("pipeline.net.enabled") == "false leaves it out");
    CHECK(key_help("pipeline.net") == "");
    CHECK(key_help("a.test.dataloader.prefetch") == "");
    CHECK(key_help("test.dataloader.prefetch.x") == "");
    CHECK(key_help("") == "");
}
