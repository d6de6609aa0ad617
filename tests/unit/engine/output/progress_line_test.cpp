#include "engine/output/progress_line.hpp"

#include "base/characters.hpp"

#include <doctest/doctest.h>

namespace progress_line_test {

using namespace ptp::engine;

namespace {

ProgressView view() {
    ProgressView view;
    view.label = "epoch 3/10  training";
    view.done = 90;
    view.count = 200;
    view.loss_name = "loss";
    view.loss = 0.317;
    view.statistic_name = "accuracy";
    view.statistic = 0.85;
    view.seconds_left = 12;
    view.batches_per_second = 250;
    view.memory_mib = 812;
    view.wait_share = 0.03;
    return view;
}

}  // namespace

TEST_CASE("progress line: a narrow terminal gets what matters, a wide one all") {
    CHECK(progress_line(view(), 39) == "epoch 3/10  training  90/200  12 s left");
    CHECK(progress_line(view(), 79) ==
          "epoch 3/10  training  [==>   ]  90/200  loss 0.3170  accuracy 0.8500  12 s left");
    CHECK(progress_line(view(), 119) ==
          "epoch 3/10  training  [========>         ]  90/200  loss 0.3170  accuracy 0.8500  "
          "12 s left  250/s  812 MiB  waiting 3%");
    CHECK(progress_line(view(), 160) ==
          "epoch 3/10  training  [=============>                ]  90/200  loss 0.3170  accuracy "
          "0.8500  12 s left  250/s  812 MiB  waiting 3%");
}

TEST_CASE("progress line: it is never wider than the terminal") {
    ProgressView wide = view();
    wide.statistic_name = "genauigkeit_\u4e16\u754c";
    wide.label = "epoch 100/100000  validation";
    for (std::size_t width = 1; width < 200; ++width) {
        CAPTURE(width);
        CHECK(ptp::display_width(progress_line(view(), width)) <= width);
        CHECK(ptp::display_width(progress_line(wide, width)) <= width);
    }
}

TEST_CASE("progress line: what is not known is left out") {
    ProgressView bare;
    bare.label = "test";
    bare.done = 1;
    bare.count = 4;
    CHECK(progress_line(bare, 20) == "test  [=>     ]  1/4");
    bare.batches_per_second = 0.25;
    CHECK(progress_line(bare, 60) == "test  [=======>                      ]  1/4  0.25/s");
}

TEST_CASE("progress line: a high rate has a comma for each thousand") {
    ProgressView fast;
    fast.label = "test";
    fast.done = 1;
    fast.count = 4;
    fast.batches_per_second = 1770.4;
    CHECK(progress_line(fast, 24) == "test  [==>        ]  1/4");
    CHECK(progress_line(fast, 32) == "test  [==>       ]  1/4  1,770/s");
}

TEST_CASE("progress line: the bar is empty at the beginning and full at the end") {
    CHECK(progress_bar(0, 10, 12) == "[>         ]");
    CHECK(progress_bar(5, 10, 12) == "[=====>    ]");
    CHECK(progress_bar(10, 10, 12) == "[==========]");
    CHECK(progress_bar(11, 10, 12) == "[==========]");
    CHECK(progress_bar(0, 0, 12) == "[>         ]");
}

}  // namespace progress_line_test
