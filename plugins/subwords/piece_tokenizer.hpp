// The base of the tokenizers of this plugin: sentences to pieces and their indices, and back.
#pragma once

#include "pieces.hpp"

#include <ptp/component.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace subwords {

struct PieceConfig {
    bool detokenize = false;
    bool from_indices = false;
    bool bos_token = false;
    bool eos_token = false;
    bool output_indices = false;
    std::optional<int64_t> padding_index;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("detokenize", &PieceConfig::detokenize,
                         {.help = "Join pieces instead of splitting sentences"}),
            ptp::setting("from_indices", &PieceConfig::from_indices,
                         {.help = "With detokenize: the inputs are indices of pieces"}),
            ptp::setting("bos_token", &PieceConfig::bos_token,
                         {.help = "Begin each sentence with the model's piece for that"}),
            ptp::setting("eos_token", &PieceConfig::eos_token,
                         {.help = "End each sentence with the model's piece for that"}),
            ptp::setting("output_indices", &PieceConfig::output_indices,
                         {.help = "Also write the streams piece_indices and lengths"}),
            ptp::setting("padding_index", &PieceConfig::padding_index,
                         {.help = "Index of padding; if not given, the model's"})};
    }
};

// `source` names the files in the error about another checkpoint.
class PieceTokenizer {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;

    static constexpr std::array ports{
        ptp::input("inputs", PTP_STRING, "B", "Sentences").when("!detokenize"),
        ptp::input("inputs", PTP_TOKENS, "B", "The pieces of each sentence")
            .when("detokenize & !from_indices"),
        ptp::input("inputs", PTP_INTEGER, "B, length", "Indices of pieces")
            .when("detokenize & from_indices"),
        ptp::output("outputs", PTP_TOKENS, "B", "The pieces of each sentence").when("!detokenize"),
        ptp::output("piece_indices", PTP_INTEGER, "B, length", "Indices of the pieces")
            .when("!detokenize & output_indices"),
        ptp::output("lengths", PTP_INTEGER, "B", "How many indices of each sentence count")
            .when("!detokenize & output_indices"),
        ptp::output("outputs", PTP_STRING, "B", "Sentences").when("detokenize")};
    static constexpr std::array globals{
        ptp::publishes_if_named("published_word_mappings", "The pieces: a table to their indices"),
        ptp::publishes_if_named("vocabulary_size", "Number of pieces"),
        ptp::publishes_if_named("pad_index", "Index of padding")
            .purpose(PTP_PURPOSE_IGNORED_TARGET)
            .when("output_indices")};

    PieceTokenizer(const PieceConfig& config, const ptp::Setup& setup,
                   std::unique_ptr<const Pieces> pieces, std::string source)
        : config_(config), pieces_(std::move(pieces)), source_(std::move(source)) {
        check_together();
        begin_ = piece_for(config.bos_token, "bos_token", pieces_->begin(), "begin");
        end_ = piece_for(config.eos_token, "eos_token", pieces_->end(), "end");
        padding_ = config.padding_index ? config.padding_index : pieces_->padding();
        if (config.output_indices && !padding_) {
            throw ptp::SettingError("padding_index",
                                    "must be given: the model has no piece for padding");
        }
        setup.publish("published_word_mappings", pieces_->mappings());
        setup.publish("vocabulary_size", pieces_->size());
        if (config.output_indices) {
            setup.publish("pad_index", *padding_);
        }
    }

    std::tuple<std::vector<std::vector<std::string>>, ptp::TensorData, ptp::TensorData,
               std::vector<std::string>>
    forward(const ptp::Strings* sentences, const ptp::TokenLists* pieces,
            const ptp::TensorView* indices, const ptp::Samples& samples) const {
        if (pieces != nullptr) {
            return {std::vector<std::vector<std::string>>(), ptp::TensorData(), ptp::TensorData(),
                    joined(*pieces)};
        }
        if (indices != nullptr) {
            return {std::vector<std::vector<std::string>>(), ptp::TensorData(), ptp::TensorData(),
                    joined(*indices, samples)};
        }
        std::vector<std::vector<std::string>> all = split(*sentences);
        ptp::TensorData rows;
        ptp::TensorData lengths;
        if (config_.output_indices) {
            std::tie(rows, lengths) = indexed(all);
        }
        return {std::move(all), std::move(rows), std::move(lengths), std::vector<std::string>()};
    }

    static constexpr uint32_t state_version = 1;
    [[nodiscard]] ptp::Data export_state() const {
        return ptp::Data::Table{{"pieces", pieces_->size()}, {"digest", pieces_->digest()}};
    }
    void import_state(uint32_t, const ptp::Data& saved) const {
        const ptp::Data now = export_state();
        if (saved != now) {
            throw ptp::DataError(source_, " is not the model of the checkpoint, which has ",
                                 saved.find("pieces")->as_integer(), " pieces; this one has ",
                                 pieces_->size());
        }
    }

private:
    void check_together() const {
        const auto refuse_if = [](bool is_given, const char* setting, const char* reason) {
            if (is_given) {
                throw ptp::SettingError(setting, reason);
            }
        };
        refuse_if(config_.from_indices && !config_.detokenize, "from_indices",
                  "needs detokenize = true");
        constexpr const char* kReason = "has no effect with detokenize = true";
        refuse_if(config_.detokenize && config_.bos_token, "bos_token", kReason);
        refuse_if(config_.detokenize && config_.eos_token, "eos_token", kReason);
        refuse_if(config_.detokenize && config_.output_indices, "output_indices", kReason);
        refuse_if(config_.padding_index && !config_.output_indices && !config_.from_indices,
                  "padding_index", "needs output_indices or from_indices");
    }

    static std::optional<int64_t> piece_for(bool is_wanted, const char* setting,
                                            std::optional<int64_t> index, const char* what) {
        if (is_wanted && !index) {
            throw ptp::SettingError(setting, "the model has no piece for the ", what,
                                    " of a sentence");
        }
        return is_wanted ? index : std::nullopt;
    }

    [[nodiscard]] std::vector<std::vector<std::string>> split(const ptp::Strings& sentences) const {
        std::vector<std::vector<std::string>> all;
        for (size_t i = 0; i < sentences.size(); ++i) {
            std::vector<std::string>& pieces = all.emplace_back(pieces_->pieces(sentences[i]));
            if (begin_) {
                pieces.insert(pieces.begin(), pieces_->piece(*begin_));
            }
            if (end_) {
                pieces.push_back(pieces_->piece(*end_));
            }
        }
        return all;
    }

    // Returns [B, length] and [B].
    [[nodiscard]] std::pair<ptp::TensorData, ptp::TensorData> indexed(
        const std::vector<std::vector<std::string>>& sentences) const {
        const auto count = static_cast<int64_t>(sentences.size());
        size_t longest = 0;
        for (const auto& pieces : sentences) {
            longest = std::max(longest, pieces.size());
        }
        auto rows = ptp::TensorData::zeros<int64_t>({count, static_cast<int64_t>(longest)});
        auto lengths = ptp::TensorData::zeros<int64_t>({count});
        std::ranges::fill(rows.elements<int64_t>(), *padding_);
        auto row = rows.elements<int64_t>().begin();
        for (size_t i = 0; i < sentences.size(); ++i) {
            std::ranges::transform(sentences[i], row, [this](const std::string& piece) {
                return pieces_->index_of(piece);
            });
            row += static_cast<std::ptrdiff_t>(longest);
            lengths.elements<int64_t>()[i] = static_cast<int64_t>(sentences[i].size());
        }
        return {std::move(rows), std::move(lengths)};
    }

    [[nodiscard]] std::vector<std::string> joined(const ptp::TokenLists& sentences) const {
        std::vector<std::string> all;
        for (size_t i = 0; i < sentences.size(); ++i) {
            const auto words = sentences[i];
            std::vector<std::string_view> pieces;
            for (size_t j = 0; j < words.size(); ++j) {
                pieces.push_back(words[j]);
            }
            all.push_back(pieces_->sentence(pieces));
        }
        return all;
    }

    [[nodiscard]] std::vector<std::string> joined(const ptp::TensorView& indices,
                                                  const ptp::Samples& samples) const {
        if (indices.shape().size() != 2) {
            throw ptp::DataError("inputs has ", indices.shape().size(),
                                 " dimensions, expected [B, length]");
        }
        const auto length = static_cast<size_t>(indices.size(1));
        const std::vector<int64_t> all_indices = indices.copy<int64_t>();
        std::vector<std::string> all;
        for (size_t i = 0; i < static_cast<size_t>(indices.size(0)); ++i) {
            std::vector<std::string_view> pieces;
            for (size_t j = 0; j < length; ++j) {
                const int64_t index = all_indices[i * length + j];
                if (index == padding_) {
                    continue;
                }
                if (index < 0 || index >= pieces_->size()) {
                    throw ptp::DataError("sample ", samples.indices()[i], ": the index ", index,
                                         " at place ", j, " is not in [0, ", pieces_->size(),
                                         "), the indices of the pieces");
                }
                pieces.push_back(pieces_->piece(index));
            }
            all.push_back(pieces_->sentence(pieces));
        }
        return all;
    }

    PieceConfig config_;
    std::unique_ptr<const Pieces> pieces_;
    std::string source_;
    std::optional<int64_t> begin_;
    std::optional<int64_t> end_;
    std::optional<int64_t> padding_;
};

}  // namespace subwords
