// Wraps libsentencepiece, and checks the model, its pieces and their numbers.

#include "piece_model.hpp"

#include <ptp/error.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <sentencepiece_processor.h>

namespace subwords {

namespace {

std::string read_model_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw ptp::DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

std::int64_t fnv1a(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return static_cast<std::int64_t>(hash);
}

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
    const std::string bytes = read_model_file(file);
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

ptp::Data PieceModel::mappings() const {
    ptp::Data::Table table;
    for (std::int64_t index = 0; index < size(); ++index) {
        table.push_back({piece(index), index});
    }
    return table;
}

}  // namespace subwords
