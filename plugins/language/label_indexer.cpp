// LabelIndexer: the index of each label in a vocabulary.

#include "vocabulary.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

class LabelIndexer : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "LabelIndexer";
    static constexpr const char* summary = "Turns labels into their indices in a vocabulary";
    static constexpr const char* description =
        "The whole label, as it is, is the word. One that is not in the vocabulary becomes "
        "out_of_vocabulary_value. Losses ignore -100; in statistics each prediction for it is "
        "wrong. The vocabulary is that of the global which word_mappings names, "
        "or of word_mappings_file, or of source_vocabulary_files.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_STRING, "B", "A label for each sample"),
        ptp::output("outputs", PTP_INTEGER, "B", "Its index")};
    static constexpr auto globals = ptp::support::kVocabularyGlobals;
    static constexpr std::array requirements{ptp::support::kVocabularyRequirement};

    struct Config : ptp::support::VocabularyConfig {
        int64_t out_of_vocabulary_value = -100;

        static constexpr auto settings() {
            return std::tuple_cat(VocabularyConfig::settings(),
                                  std::tuple{ptp::setting(
                                      "out_of_vocabulary_value", &Config::out_of_vocabulary_value,
                                      {.help = "Index of labels that are not in the vocabulary"})});
        }
    };

    LabelIndexer(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup)),
          other_(config.out_of_vocabulary_value),
          device_(setup.device()) {}

    at::Tensor forward(const ptp::Strings& inputs) {
        at::Tensor indices = at::empty({static_cast<int64_t>(inputs.size())}, at::kLong);
        int64_t* index = indices.data_ptr<int64_t>();
        for (size_t i = 0; i < inputs.size(); ++i) {
            index[i] = vocabulary().index_of(inputs[i]).value_or(other_);
        }
        return indices.to(device_);
    }

private:
    int64_t other_;
    at::Device device_;
};

template const ptp_component_info& ptp::component<LabelIndexer>();
