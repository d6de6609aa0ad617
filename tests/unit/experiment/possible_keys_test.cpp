#include "experiment/possible_keys.hpp"

#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

namespace possible_keys_test {

using namespace ptp;
using namespace ptp::experiment;
using schema::Form;
using schema::Key;
using schema::KeyRecord;

TEST_CASE("possible keys: a table that is missing has its keys, with their defaults") {
    const KeyRecord keys = possible_keys(Value());
    const Key* prefetch = keys.find("validation.dataloader", "prefetch");
    REQUIRE(prefetch != nullptr);
    CHECK(prefetch->form == Form::kInteger);
    CHECK(prefetch->range == "[1, 1024]");
    CHECK(prefetch->default_value == Value(2));
    CHECK(expected_text(*prefetch) == "an integer in [1, 1024]");
    CHECK(keys.find("", "training")->form == Form::kTable);
    CHECK(keys.find("", "training")->is_required);
    CHECK(keys.find("", "trainnig") == nullptr);
    CHECK(keys.find("trainnig", "task") == nullptr);
}

TEST_CASE("possible keys: a table's type decides its keys and their defaults") {
    const Value tree = Value::table(
        {{"training", Value::table({{"optimizer", Value::table({{"type", "SGD"}})}})}});
    const KeyRecord keys = possible_keys(tree);
    CHECK(keys.find("training.optimizer", "nesterov") != nullptr);
    CHECK(keys.find("training.optimizer", "betas") == nullptr);
    const Key* lr = keys.find("training.optimizer", "lr");
    REQUIRE(lr != nullptr);
    CHECK(lr->is_required);
    CHECK_FALSE(lr->default_value);
    const Key* type = keys.find("training.optimizer", "type");
    REQUIRE(type != nullptr);
    CHECK(type->is_required);
    CHECK(expected_text(*type).starts_with("a string, one of SGD, Adam"));
}

TEST_CASE("layers: files in the order in which they are merged, then the overrides") {
    ptp::experiment::test::Loader loader("include = \"a.toml\"\nname = \"x\"\n");
    loader.write("a.toml", "include = \"b.toml\"\nname = \"a\"\n");
    loader.write("b.toml", "name = \"b\"\n");
    Layers layers;
    Diagnostics problems;
    load_experiment({.file = loader.folder() + "/x.toml", .overrides = {"name=c"}}, problems,
                    &layers);
    REQUIRE(layers.size() == 4);
    const char* names[] = {"b", "a", "x", "c"};
    const std::size_t depths[] = {2, 1, 0, 0};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        CHECK(*layers[i].tree.find("name") == Value(names[i]));
        CHECK(layers[i].included_at.size() == depths[i]);
        CHECK(layers[i].tree.find("include") == nullptr);
    }
    CHECK(layers[0].included_at[0].text() == loader.folder() + "/x.toml:1:11");
    CHECK(layers[0].included_at[1].text() == loader.folder() + "/a.toml:1:11");
}

TEST_CASE("key path: dots separate parts, quotes hold them together") {
    using Path = std::vector<std::string>;
    CHECK(read_key_path("a.b") == Path{"a", "b"});
    CHECK(read_key_path("a.\"b.c\".0") == Path{"a", "b.c", "0"});
    for (const char* wrong : {"", ".", "a.", "a b", "a=b", "\"a"}) {
        CAPTURE(wrong);
        CHECK_FALSE(read_key_path(wrong));
    }
}

}  // namespace possible_keys_test
