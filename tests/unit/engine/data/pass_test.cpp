#include "engine/data/pass.hpp"

#include "base/error.hpp"
#include "support/engine_plan.hpp"
#include "unit/engine/component/recording_device.hpp"

#include <ptp/ext/state.h>
#include <ptp/ext/task.h>

#include <ATen/ops/empty.h>
#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace pass_test {

using ptp::RunError;
using namespace ptp::engine;

namespace {

constexpr std::int64_t kSamples = 50;
constexpr std::int64_t kNoFailure = -1;

// A functions' table cannot carry anything along.
std::atomic<int> running = 0;
std::atomic<int> most_running = 0;
std::atomic<int> fetched = 0;
std::int64_t width = 1;         // numbers of a sample; only the first has a value if there are more
std::int64_t later_width = 1;   // the same, of all batches but the first one
std::latch* meeting = nullptr;  // the first calls wait in it for one another
std::atomic<int> still_to_meet = 0;
std::atomic<std::int64_t> failing_index = kNoFailure;
const ptp_host* host = nullptr;

ptp_status size(void*, std::int64_t* out) {
    *out = kSamples;
    return PTP_OK;
}

void enter() {
    const int now = ++running;
    int most = most_running;
    while (most < now && !most_running.compare_exchange_weak(most, now)) {
    }
    if (still_to_meet.fetch_sub(1) > 0) {
        meeting->arrive_and_wait();
    }
}

// One number for each sample: its seed.
ptp_status fetch(void*, const ptp_fetch* wanted, ptp_value* const* outputs) {
    enter();
    const std::int64_t each = fetched == 0 ? width : later_width;
    at::Tensor seeds =
        at::empty({static_cast<std::int64_t>(wanted->count) * each}, at::TensorOptions(at::kLong));
    for (std::uint64_t i = 0; i < wanted->count; ++i) {
        if (wanted->indices[i] == failing_index) {
            --running;
            host->fail(host->context, PTP_ERROR_DATA, "sample 33 is damaged");
            return PTP_ERROR_DATA;
        }
        seeds.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(wanted->seeds[i]);
    }
    ptp::test::tensor_in(outputs[0]) = seeds;
    ++fetched;
    fetched.notify_all();
    --running;
    return PTP_OK;
}

// The number of calls of fetch(), and 0 instead if one was going on.
ptp_status export_state(void*, const ptp_data** out) {
    static ptp_data state{};
    const bool is_alone = running == 0;
    std::this_thread::yield();
    state.type = PTP_DATA_INTEGER;
    state.integer = is_alone && running == 0 ? fetched.load() : 0;
    *out = &state;
    return PTP_OK;
}

template <std::uint32_t kFlags, bool kHasState>
const void* extension(const char* id) {
    static const ptp_task task = {sizeof(ptp_task), kFlags, size, fetch};
    static const ptp_state state = {sizeof(ptp_state), 1, export_state, nullptr};
    if (std::string_view(id) == PTP_EXTENSION_TASK) {
        return &task;
    }
    return kHasState && std::string_view(id) == PTP_EXTENSION_STATE ? &state : nullptr;
}

template <std::uint32_t kFlags = PTP_TASK_CONCURRENT, bool kHasState = false>
struct Loading {
    explicit Loading(std::int64_t workers, bool drop_last = false) {
        section.name = "training";
        section.task.batch_size = 8;
        section.dataloader.num_workers = workers;
        section.dataloader.shuffle = true;
        section.dataloader.drop_last = drop_last;
        ptp_component_info info = ptp::test::idle_component();
        info.extension = extension<kFlags, kHasState>;
        info.create = [](const ptp_host* given, const ptp_setup*, void** out) -> ptp_status {
            host = given;
            *out = &host;
            return PTP_OK;
        };
        plan.add_stream("seeds", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("indices", ptp::plugin::Element::kInteger, {-1});
        plan.add_task(info, {{"seeds", 0}}).indices_stream = 1;
        components = plan.create();
        source.emplace(section, plan.plan, *components.tasks[0], 1);
    }

    // All that two epochs give, in order.
    std::vector<std::int64_t> all() {
        std::vector<std::int64_t> values = rest(0, 0);
        const std::vector<std::int64_t> second = rest(1, 0);
        values.insert(values.end(), second.begin(), second.end());
        return values;
    }

    // All that an epoch gives from a batch on: for each batch its seeds, then its indices.
    std::vector<std::int64_t> rest(std::uint64_t epoch, std::uint64_t first_batch) {
        std::vector<std::int64_t> values;
        Frame frame(plan.plan);
        Pass pass(*source, epoch, true, first_batch);
        for (std::uint64_t batch = first_batch; pass.next(frame); ++batch) {
            REQUIRE(pass.batch_index() == batch);
            REQUIRE(frame[0].tensor.size(0) == static_cast<std::int64_t>(pass.batch_size()));
            for (int stream : {0, 1}) {
                const at::Tensor& tensor = frame[stream].tensor;
                values.insert(values.end(), tensor.data_ptr<std::int64_t>(),
                              tensor.data_ptr<std::int64_t>() + tensor.numel());
            }
        }
        return values;
    }

    ptp::experiment::Section section;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::optional<BatchSource> source;
};

}  // namespace

TEST_CASE("pass: what comes out does not depend on the number of threads") {
    const std::vector<std::int64_t> expected = Loading<>(0).all();
    CHECK(expected.size() == kSamples * 2 * 2);
    for (const std::int64_t workers : {1, 2, 4}) {
        CAPTURE(workers);
        CHECK(Loading<>(workers).all() == expected);
    }
}

TEST_CASE("pass: one that begins in the middle gives what a whole one gives from there") {
    const std::vector<std::int64_t> whole = Loading<>(0).rest(1, 0);
    for (const std::int64_t workers : {0, 1, 4}) {
        Loading<> loading(workers);
        for (std::uint64_t first = 0; first <= 7; ++first) {
            CAPTURE(workers);
            CAPTURE(first);
            const auto skipped = std::min<std::ptrdiff_t>(
                static_cast<std::ptrdiff_t>(first) * 2 * 8, std::ssize(whole));
            CHECK(loading.rest(1, first) ==
                  std::vector<std::int64_t>(whole.begin() + skipped, whole.end()));
        }
    }
}

// Were it called by one thread at a time, the first call would wait forever.
TEST_CASE("pass: a concurrent task is called by several threads at once") {
    constexpr int kThreads = 4;
    std::latch all_inside(kThreads);
    meeting = &all_inside;
    most_running = 0;
    still_to_meet = kThreads;
    const auto values = Loading<>(kThreads).all();
    still_to_meet = 0;
    meeting = nullptr;
    CHECK(most_running == kThreads);
    CHECK(values == Loading<>(0).all());
}

TEST_CASE("pass: a task that is not concurrent is called by one thread at a time") {
    most_running = 0;
    const auto values = Loading<0>(4).all();
    CHECK(most_running == 1);
    CHECK(values == Loading<>(0).all());
}

TEST_CASE("pass: a task that keeps state is asked for a batch when it is due, and not ahead") {
    Loading<PTP_TASK_CONCURRENT, true> loading(4);
    Frame frame(loading.plan.plan);
    fetched = 0;
    Pass pass(*loading.source, 0, true);
    for (int batch = 1; pass.next(frame); ++batch) {
        CHECK(fetched == batch);
        CHECK(loading.components.tasks[0]->export_state()->value.as_integer() == batch);
    }
    CHECK(fetched == 7);
}

// Were there only as many as `prefetch` says, it would wait forever.
TEST_CASE("pass: of small batches more wait than `prefetch`, of large ones no more") {
    constexpr int kBatches = 7;
    Loading<> loading(1);
    Frame frame(loading.plan.plan);
    fetched = 0;
    {
        Pass pass(*loading.source, 0, true);
        CHECK(pass.next(frame));
        for (int now = fetched; now < kBatches; now = fetched) {
            fetched.wait(now);
        }
    }
    later_width = 1 << 15;  // 2 MB of a batch
    for (const std::int64_t first : {std::int64_t{1}, later_width}) {
        width = first;
        fetched = 0;
        Pass pass(*loading.source, 0, true);
        for (int taken = 1; pass.next(frame); ++taken) {
            CHECK(fetched <= taken + 3);  // one in the hands of the thread
        }
        CHECK(fetched == kBatches);
    }
    width = 1;
    later_width = 1;
}

TEST_CASE("pass: a task's state is exported while no thread is in fetch()") {
    Loading<PTP_TASK_CONCURRENT, true> loading(0);
    const ptp::engine::PassPlan order = loading.source->plan_pass(0, true);
    std::atomic<bool> is_over = false;
    std::atomic<int> begun = 0;
    std::vector<std::thread> loaders;
    for (int i = 0; i < 3; ++i) {
        loaders.emplace_back([&] {
            ptp::engine::Batch batch = loading.source->new_batch();
            while (!is_over) {
                loading.source->fetch(order, 0, batch);
                ++begun;
                begun.notify_one();
            }
        });
    }
    begun.wait(0);
    int disturbed = 0;
    for (int i = 0; i < 200; ++i) {
        disturbed += loading.components.tasks[0]->export_state()->value.as_integer() == 0 ? 1 : 0;
    }
    is_over = true;
    for (std::thread& loader : loaders) {
        loader.join();
    }
    CHECK(disturbed == 0);
}

TEST_CASE("pass: an error on any thread arrives with its text") {
    for (const std::int64_t workers : {0, 3}) {
        CAPTURE(workers);
        failing_index = 33;
        Loading<> loading(workers);
        CHECK_THROWS_WITH_AS(loading.all(), "the task of [training] (Idle): sample 33 is damaged",
                             RunError);
        failing_index = kNoFailure;
    }
}

TEST_CASE("pass: one that is left early ends its threads") {
    Loading<> loading(4);
    Frame frame(loading.plan.plan);
    Pass pass(*loading.source, 0, true);
    CHECK(pass.wait_seconds() == 0);
    CHECK(pass.next(frame));
    CHECK(pass.batch_index() == 0);
    CHECK(pass.wait_seconds() > 0);
}

TEST_CASE("pass: the last, smaller batch can be dropped") {
    CHECK(Loading<>(1).source->batch_count() == 7);  // 50 samples in batches of 8
    Loading<> dropping(1, true);
    CHECK(dropping.source->batch_count() == 6);
    CHECK(dropping.source->sample_count() == 48);
    CHECK(dropping.all().size() == 2UL * 2 * 48);
}

namespace {

// New threads get a stack of 1 GiB each, and the process no more than 2.5 of them.
class FewThreads {
public:
    FewThreads() {
        pthread_getattr_default_np(&usual_);
        pthread_attr_t large;
        pthread_attr_init(&large);
        pthread_attr_setstacksize(&large, kGiB);
        pthread_setattr_default_np(&large);
        pthread_attr_destroy(&large);
        getrlimit(RLIMIT_AS, &limit_);
        rlimit low = limit_;
        std::uint64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        low.rlim_cur = pages * static_cast<std::uint64_t>(getpagesize()) + kGiB * 5 / 2;
        setrlimit(RLIMIT_AS, &low);
    }
    ~FewThreads() {
        setrlimit(RLIMIT_AS, &limit_);
        pthread_setattr_default_np(&usual_);
        pthread_attr_destroy(&usual_);
    }
    FewThreads(const FewThreads&) = delete;
    FewThreads& operator=(const FewThreads&) = delete;

private:
    static constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
    pthread_attr_t usual_;
    rlimit limit_;
};

}  // namespace

TEST_CASE("pass: more loader threads than the machine gives are refused, and those begun end") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("not run: a sanitizer takes memory of its own for each thread");
    return;
#endif
    Loading loading(6);
    const FewThreads few;
    CHECK_THROWS_WITH_AS(Pass(*loading.source, 0, true),
                         "training.dataloader.num_workers = 6: only 2 loader threads could be "
                         "started (Resource temporarily unavailable); use fewer",
                         RunError);
}

TEST_CASE("pass: a batch is pinned by who loads it, and copied to a device before it is given") {
    for (const int workers : {0, 2}) {
        CAPTURE(workers);
        ptp::test::Copies copies;
        Loading<> loading(workers);
        loading.source->copy_ahead(std::make_unique<ptp::test::Copies::Ahead>(copies));
        Frame frame(loading.plan.plan);
        Pass pass(*loading.source, 0, true);
        std::int64_t copied = 0;
        for (std::int64_t batch = 1; pass.next(frame); ++batch) {
            copied += std::ranges::count(copies.calls.take(), "copy");
            // With threads the next batch is copied too, if it is loaded by now.
            CHECK(copied >= batch);
            CHECK(copied <= (workers == 0 ? batch : batch + 1));
            CHECK(copies.pinned >= batch);
            REQUIRE(frame.samples().sent != nullptr);
            REQUIRE(frame[0].ahead.size() == 1);
            CHECK(frame[0].ahead[0].equal(frame[0].tensor));
        }
        CHECK(copied == 7);
    }
}

}  // namespace pass_test
