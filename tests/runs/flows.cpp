// Components whose streams are texts, tokens and lists of tensors, a viewer with pictures, a task
// with state, and one that ends the process; built twice as the builds of one plugin, which differ
// in what they make: see record.cmake. Built without libtorch.

#include <ptp/plugin.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <tuple>
#include <vector>

namespace {

std::string name_of(int64_t index) {
    return "sample " + std::to_string(index);
}

// Sample i has i % 3 words; none of them is of no letters.
class Flows {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Flows";
    static constexpr const char* summary = "Samples of each kind of stream";
    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 2", "The index, twice"),
        ptp::output("targets", PTP_INTEGER, "B", "Whether it is odd").purpose(PTP_PURPOSE_TARGETS),
        ptp::output("names", PTP_STRING, "B", "Names of the samples"),
        ptp::output("words", PTP_TOKENS, "B", "None, one or two words"),
        ptp::output("pieces", PTP_TENSOR_LIST, "B, *", "As many numbers as there are words")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Even and odd").purpose(PTP_PURPOSE_CLASS_COUNT).value("2")};

    explicit Flows(ptp::Setup& setup) { setup.publish("num_classes", 2); }

    int64_t size() const { return 12; }

    std::tuple<ptp::TensorData, ptp::TensorData, std::vector<std::string>,
               std::vector<std::vector<std::string>>, std::vector<ptp::TensorData>>
    fetch(const ptp::Fetch& fetch) {
        const auto count = static_cast<int64_t>(fetch.size());
        auto inputs = ptp::TensorData::zeros<float>({count, 2});
        auto targets = ptp::TensorData::zeros<int64_t>({count});
        std::vector<std::string> names;
        std::vector<std::vector<std::string>> words;
        std::vector<ptp::TensorData> pieces;
        for (size_t i = 0; i < fetch.size(); ++i) {
            const int64_t index = fetch.indices()[i];
            inputs.elements<float>()[2 * i] = static_cast<float>(index);
            inputs.elements<float>()[2 * i + 1] = static_cast<float>(index);
            targets.elements<int64_t>()[i] = index % 2;
            names.push_back(name_of(index));
            words.emplace_back(static_cast<size_t>(index % 3), "word");
            pieces.push_back(ptp::TensorData::zeros<float>({index % 3}));
            std::ranges::fill(pieces.back().elements<float>(), static_cast<float>(index));
        }
        return {std::move(inputs), std::move(targets), std::move(names), std::move(words),
                std::move(pieces)};
    }
};

// The newer build makes one change to the second sample of each stream.
class Flow {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Flow";
    static constexpr const char* summary = "Passes on texts, tokens and lists of tensors";
    static constexpr std::array ports{
        ptp::input("names", PTP_STRING, "B", "Names"),
        ptp::input("words", PTP_TOKENS, "B", "Words"),
        ptp::input("pieces", PTP_TENSOR_LIST, "B, *", "Numbers"),
        ptp::output("own_names", PTP_STRING, "B", "The same names"),
        ptp::output("own_words", PTP_TOKENS, "B", "The same words"),
        ptp::output("own_pieces", PTP_TENSOR_LIST, "B, *", "The same numbers")};

    std::tuple<std::vector<std::string>, std::vector<std::vector<std::string>>,
               std::vector<ptp::TensorData>>
    forward(const ptp::Strings& names, const ptp::TokenLists& words,
            const ptp::TensorList& pieces) {
        std::vector<std::string> own_names;
        std::vector<std::vector<std::string>> own_words;
        std::vector<ptp::TensorData> own_pieces;
        for (size_t i = 0; i < names.size(); ++i) {
            own_names.emplace_back(names[i]);
            own_words.emplace_back();
            for (size_t j = 0; j < words[i].size(); ++j) {
                own_words.back().emplace_back(words[i][j]);
            }
            const ptp::TensorView piece = pieces[i];
            own_pieces.push_back(ptp::TensorData::zeros<float>({piece.size(0)}));
            std::ranges::copy(piece.elements<float>(), own_pieces.back().elements<float>().begin());
        }
#if defined(FLOWS_CHANGED)
        own_names[1] += "!";
        if (words[1].size() > 0) {
            own_words[1][0] = "work";
            own_pieces[1].elements<float>()[0] += 1;
        }
#endif
        return {std::move(own_names), std::move(own_words), std::move(own_pieces)};
    }
};

// Two pictures of 1 x 2 pixels in each batch.
class Shown {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "Shown";
    static constexpr const char* summary = "Shows the first two inputs as pictures";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, 2", "Numbers")};

    explicit Shown(ptp::Setup& setup) : setup_(setup) {}

    void forward(const ptp::TensorView& inputs) {
        for (const size_t sample : {0U, 1U}) {
            std::array<std::uint8_t, 2> pixels{
                static_cast<std::uint8_t>(inputs.elements<float>()[2 * sample]), 7};
#if defined(FLOWS_CHANGED)
            pixels[1] = sample == 1 ? 9 : 7;
#endif
            setup_.show({.height = 1,
                         .width = 2,
                         .channels = 1,
                         .pixels = pixels,
                         .tag = sample == 0 ? "first" : "second"});
        }
    }

private:
    ptp::Setup& setup_;
};

// How many batches it has made, which no two batches have in common.
class Counting {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Counting";
    static constexpr const char* summary = "Counts its batches";
    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 2", "The count, twice"),
        ptp::output("targets", PTP_INTEGER, "B", "Even or odd").purpose(PTP_PURPOSE_TARGETS)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Even and odd").purpose(PTP_PURPOSE_CLASS_COUNT).value("2")};

    explicit Counting(ptp::Setup& setup) { setup.publish("num_classes", 2); }

    int64_t size() const { return 64; }

    std::tuple<ptp::TensorData, ptp::TensorData> fetch(const ptp::Fetch& fetch) {
        const auto count = static_cast<int64_t>(fetch.size());
        auto inputs = ptp::TensorData::zeros<float>({count, 2});
        auto targets = ptp::TensorData::zeros<int64_t>({count});
        std::ranges::fill(inputs.elements<float>(), static_cast<float>(batches_ % 16));
        std::ranges::fill(targets.elements<int64_t>(), batches_ % 2);
        ++batches_;
        return {std::move(inputs), std::move(targets)};
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() const { return ptp::Data::Table{{"batches", batches_}}; }
    void import_state(uint32_t, const ptp::Data& state) {
        batches_ = state.find("batches")->as_integer();
    }

private:
    int64_t batches_ = 0;
};

// As kill -9 does, before its fourth batch of a training is processed.
class Ends {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "Ends";
    static constexpr const char* summary = "Ends the process";
    static constexpr std::array ports{ptp::input("predictions", PTP_FLOAT, "B, *", "Anything")};
    static constexpr std::array statistics{ptp::sum("none", "Nothing")};

    void forward(const ptp::TensorView&, const ptp::Step& step) {
        if (step.episode() == 3) {
            std::raise(SIGKILL);
        }
    }
    std::array<double, 1> collect(uint64_t) const { return {0}; }
};

}  // namespace

PTP_PLUGIN("flows", FLOWS_VERSION, Flows, Flow, Shown, Counting, Ends);
