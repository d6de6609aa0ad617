#include "engine/component/copy_ahead.hpp"

#include "unit/engine/component/recording_device.hpp"

#include <ATen/Functions.h>
#include <doctest/doctest.h>

#include <vector>

namespace copy_ahead_test {

using ptp::engine::CopyAhead;
using ptp::engine::Slot;
using ptp::test::Calls;
using ptp::test::Copies;

namespace {

// Images, an output that nothing was written to, and a list of two tensors.
std::vector<Slot> batch() {
    std::vector<Slot> slots(3);
    slots[0].tensor = at::ones({2, 3});
    slots[2].element = PTP_TENSOR_LIST;
    slots[2].list.resize(2);
    slots[2].list.tensors() = {at::zeros({1}), at::ones({4})};
    return slots;
}

}  // namespace

TEST_CASE("copy ahead: every tensor of a batch is pinned") {
    Copies copies;
    std::vector<Slot> slots = batch();
    copies.ahead.pin(slots);
    CHECK(copies.pinned == 3);
    CHECK(copies.calls.take().empty());
    CHECK_FALSE(slots[1].tensor.defined());
}

TEST_CASE("copy ahead: copies are enqueued on a stream of their own, and marked behind the last") {
    Copies copies;
    std::vector<Slot> slots = batch();
    const auto sent = copies.ahead.send(slots);
    CHECK(copies.calls.take() ==
          Calls{"current is 7", "copy", "copy", "copy", "record on 7", "current is 0"});
    REQUIRE(slots[0].ahead.size() == 1);
    CHECK(slots[0].ahead[0].equal(slots[0].tensor));
    REQUIRE(slots[1].ahead.size() == 1);
    CHECK_FALSE(slots[1].ahead[0].defined());
    REQUIRE(slots[2].ahead.size() == 2);
    CHECK(slots[2].ahead[1].equal(slots[2].list.tensors()[1]));
}

TEST_CASE("copy ahead: the step's stream waits for the mark and keeps the copy's memory") {
    Copies copies;
    std::vector<Slot> slots = batch();
    auto sent = copies.ahead.send(slots);
    copies.calls.take();
    CHECK(sent->arrived(slots[0].ahead[0]).equal(at::ones({2, 3})));
    CHECK_FALSE(sent->arrived(slots[1].ahead[0]).defined());
    CHECK(copies.calls.take() == Calls{"block 0", "keep for 0"});
    sent.reset();
    CHECK(copies.calls.take() == Calls{"destroy"});
}

TEST_CASE("copy ahead: on the CPU there is nothing to copy") {
    CHECK(CopyAhead::to(at::kCPU) == nullptr);
}

}  // namespace copy_ahead_test
