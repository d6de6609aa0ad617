// StringToMask: true for samples whose string is a word of a vocabulary.

#include "word_mappings.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

class StringToMask {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "StringToMask";
    static constexpr const char* summary = "True for samples whose string is a known word";
    static constexpr const char* description =
        "The mask of a sample is true if its string, as it is, is a word of word_mappings. With "
        "one of these for each sub-task, and the vocabulary of its answers, losses and statistics "
        "of the sub-task count its own samples; JoinMaskedPredictions brings the answers together.";

    static constexpr std::array ports{
        ptp::input("strings", PTP_STRING, "B", "A string for each sample, such as its answer"),
        ptp::output("masks", PTP_BOOL, "B", "Whether it is in the vocabulary")};
    static constexpr std::array globals{
        ptp::reads("word_mappings", "The vocabulary: a table from words to numbers")
            .purpose(PTP_PURPOSE_VOCABULARY)};

    explicit StringToMask(ptp::Setup& setup)
        : words_("word_mappings", setup.global<ptp::Data>("word_mappings")),
          device_(setup.device()) {}

    at::Tensor forward(const ptp::Strings& strings) {
        at::Tensor masks = at::empty({static_cast<int64_t>(strings.size())}, at::kBool);
        bool* mask = masks.data_ptr<bool>();
        for (size_t i = 0; i < strings.size(); ++i) {
            mask[i] = words_.number_of(strings[i]).has_value();
        }
        return masks.to(device_);
    }

private:
    ptp::support::WordMappings words_;
    at::Device device_;
};

template const ptp_component_info& ptp::component<StringToMask>();
