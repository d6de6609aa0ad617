#include "engine/checkpoint/checkpoint_file.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace checkpoint_file_test {

using ptp::RunError;
using ptp::Value;
using namespace ptp::engine;
using ptp::test::TempFolder;

namespace {

template <class Function>
std::string problem_of(Function function) {
    return ptp::test::error_of<RunError>(ptp::kDataError, [&] { function(); });
}

}  // namespace

TEST_CASE("saved state: parts come back from the files with the same bits") {
    SavedState part;
    part.record = Value::table({{"third", 1.0 / 3.0},
                                {"smallest", std::numeric_limits<double>::denorm_min()},
                                {"nothing", std::numeric_limits<double>::infinity()},
                                {"count", std::numeric_limits<std::int64_t>::max()},
                                {"a.csv", 7}});
    part.tensors.emplace_back("net.weight", at::tensor({1.5F, -0.0F}));
    SavedState whole;
    add_part(whole, "optimizer", part);
    add_part(whole, "stop", {});

    const TempFolder folder;
    write_training_state(folder.path(), whole);
    const SavedState read = read_training_state(folder.path());
    CHECK(read.record == whole.record);
    const SavedState back = part_of(read, "optimizer");
    CHECK(back.record == part.record);
    REQUIRE(back.tensors.size() == 1);
    CHECK(back.tensors[0].first == "net.weight");
    CHECK(at::equal(back.tensors[0].second, part.tensors[0].second));
    CHECK(part_of(read, "stop").tensors.empty());
}

TEST_CASE("saved state: what is missing or of another type is said") {
    SavedState whole;
    whole.record = Value::table({{"count", 1}, {"loss", 0.5}});
    CHECK(problem_of([&] { part_of(whole, "optimizer"); }) ==
          "'optimizer' must be a table, and is missing");
    CHECK(problem_of([&] { part_of(whole, "count"); }) ==
          "'count' must be a table, and is an integer");
    CHECK(problem_of([&] { integer_in(whole.record, "loss"); }) ==
          "'loss' must be an integer, and is a real");
    CHECK(real_in(whole.record, "loss") == 0.5);
    CHECK(integer_in(whole.record, "count") == 1);
}

}  // namespace checkpoint_file_test
