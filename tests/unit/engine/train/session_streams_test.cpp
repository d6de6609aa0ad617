// Which streams of its batches a session drops: here "numbers", which the task writes, is read by a
// statistic at most.

#include "engine/train/training_session.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>
#include <spdlog/sinks/null_sink.h>

#include <memory>
#include <string_view>
#include <vector>

namespace session_streams_test {

using ptp::plugin::Kind;

namespace {

constexpr int kNumbers = 0;
constexpr int kLoss = 1;

at::Tensor w;  // a functions' table cannot carry anything along

ptp_component_info loss() {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters parameters = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                return visit(user, "w", PTP_PARAMETER, reinterpret_cast<ptp_value*>(&w));
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
    };
    return info;
}

struct Training {
    explicit Training(int read) {
        w = at::zeros({}).set_requires_grad(true);
        plan.add_stream("numbers", ptp::plugin::Element::kInteger, {-1});
        plan.add_stream("loss", ptp::plugin::Element::kFloating, {});
        experiment.training.name = "training";
        experiment.validation.emplace().name = "validation";
        for (ptp::experiment::Section* section : ptp::experiment::run_sections(experiment)) {
            section->task.batch_size = 2;
            plan.add_task(ptp::test::five_samples(), {{"numbers", kNumbers}}).section =
                section->name;
        }
        plan.add_node("loss", Kind::kLoss, loss(), {}, {{"loss", kLoss, true}});
        plan.add_node("statistic", Kind::kStatistic, ptp::test::idle_component(),
                      {{"inputs", read}}, {});
        experiment.training.optimizer = ptp::optimizer::Sgd{.lr = 1};
        session = std::make_unique<ptp::engine::TrainingSession>(experiment, plan.component_context,
                                                                 plan.descriptors(), alone);
    }

    ptp::test::EnginePlan plan;
    ptp::experiment::Experiment experiment;
    ptp::engine::Collective alone;
    std::unique_ptr<ptp::engine::TrainingSession> session;
};

// A sink that reads "numbers".
class NumbersSink : public ptp::engine::Sink {
    [[nodiscard]] std::string_view name() const override { return "numbers"; }
    [[nodiscard]] bool reads(std::string_view stream) const override { return stream == "numbers"; }
};

spdlog::logger nowhere("ptp", std::make_shared<spdlog::sinks::null_sink_mt>());
const ptp::engine::Sinks none(nowhere);

}  // namespace

TEST_CASE("session: a stream that no component reads is dropped from the batches of each section") {
    Training training(kLoss);
    CHECK(training.session->training->dropped().empty());
    training.session->drop_unread(none);
    CHECK(training.session->training->dropped() == std::vector<int>{kNumbers});
    CHECK(training.session->validation->dropped() == std::vector<int>{kNumbers});
}

TEST_CASE("session: a stream that a component reads, or that a sink reads, is kept") {
    Training reading(kNumbers);
    reading.session->drop_unread(none);
    CHECK(reading.session->training->dropped().empty());
    Training showing(kLoss);
    ptp::engine::Sinks sinks(nowhere);
    sinks.add(std::make_unique<NumbersSink>());
    showing.session->drop_unread(sinks);
    CHECK(showing.session->training->dropped().empty());
}

TEST_CASE("session: batches without a stream are known when a new component would read it") {
    Training training(kLoss);
    ptp::engine::TrainingSession& session = *training.session;
    session.drop_unread(none);
    CHECK(!session.lacks_streams(*session.training, session.components));
    ptp::pipeline::Node& statistic = training.plan.plan.nodes[1];
    CHECK(!session.lacks_streams_of(statistic));

    statistic.inputs[0].stream = kNumbers;  // as the node of its next build
    CHECK(session.lacks_streams_of(statistic));
    CHECK(session.lacks_streams(*session.training, session.components));
    session.drop_unread(*session.training, session.components);
    CHECK(session.training->dropped().empty());
    CHECK(!session.lacks_streams(*session.training, session.components));
    CHECK(session.lacks_streams(*session.validation, session.components));
}

TEST_CASE("session: a component that no longer reads a stream leaves the batches as they are") {
    Training training(kNumbers);
    ptp::engine::TrainingSession& session = *training.session;
    session.drop_unread(none);
    training.plan.plan.nodes[1].inputs[0].stream = kLoss;
    CHECK(!session.lacks_streams_of(training.plan.plan.nodes[1]));
    CHECK(!session.lacks_streams(*session.training, session.components));
}

}  // namespace session_streams_test
