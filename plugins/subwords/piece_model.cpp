// Wraps libsentencepiece, and checks the model, its pieces and their numbers.

#include "piece_model.hpp"

#include <ptp/error.hpp>

#include <sentencepiece_processor.h>

namespace subwords {

namespace {

std::optional<std::int64_t> if_there(int id) {
    return id < 0 ? std::nullopt : std::optional<std::int64_t>(id);
}

void require_ok(const sentencepiece::util::Status& status) {
    if (!status.ok()) {
        throw ptp::SystemError("SentencePiece: ", status.ToString());
    }
}

}  // namespace

PieceModel::PieceModel(const std::filesystem::path& file)
    : model_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
    const std::string bytes = read_whole_file(file);
    if (bytes.empty() || !model_->LoadFromSerializedProto(bytes).ok()) {
        throw ptp::DataError(file, ": is not a model of SentencePiece");
    }
    digest_ = fnv1a(bytes);
}

PieceModel::~PieceModel() = default;

std::vector<std::string> PieceModel::pieces(std::string_view sentence) const {
    std::vector<std::string> result;
    require_ok(model_->Encode(sentence, &result));
    return result;
}

std::string PieceModel::sentence(const std::vector<std::string_view>& pieces) const {
    std::string result;
    require_ok(model_->Decode(pieces, &result));
    return result;
}

std::int64_t PieceModel::index_of(std::string_view piece) const {
    return model_->PieceToId(piece);
}

const std::string& PieceModel::piece(std::int64_t index) const {
    return model_->IdToPiece(static_cast<int>(index));
}

std::int64_t PieceModel::size() const {
    return model_->GetPieceSize();
}

std::optional<std::int64_t> PieceModel::begin() const {
    return if_there(model_->bos_id());
}

std::optional<std::int64_t> PieceModel::end() const {
    return if_there(model_->eos_id());
}

std::optional<std::int64_t> PieceModel::padding() const {
    return if_there(model_->pad_id());
}

}  // namespace subwords
