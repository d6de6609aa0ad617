// Reads vocab.json and merges.txt, and splits by GPT-2's expression:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

#include "byte_pairs.hpp"

#include "characters.hpp"

#include <unicode/uchar.h>
#include <nlohmann/json.hpp>
#include <ptp/error.hpp>

#include <algorithm>
#include <sstream>

#include <line_ends.hpp>

namespace subwords {

namespace {

constexpr const char* kMergesFix = "\nfix: take vocab.json and merges.txt of one model";

// Returns the characters that bytes are written as: those that can be printed are themselves, the
// others follow U+0100 in their order.
std::array<std::int32_t, 256> byte_characters() {
    std::array<std::int32_t, 256> characters{};
    std::int32_t next = 0x100;
    for (std::int32_t byte = 0; byte < 256; ++byte) {
        const bool is_printed = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte != 0xad);
        characters[static_cast<std::size_t>(byte)] = is_printed ? byte : next++;
    }
    return characters;
}

std::string in_utf8(std::int32_t code) {
    std::string text;
    append(code, text);
    return text;
}

enum class Kind { kSpace, kLetter, kNumber, kOther };

Kind kind_of(std::int32_t code) {
    const std::uint32_t category = U_GET_GC_MASK(code);
    return u_isUWhiteSpace(code) != 0      ? Kind::kSpace
           : (category & U_GC_L_MASK) != 0 ? Kind::kLetter
           : (category & U_GC_N_MASK) != 0 ? Kind::kNumber
                                           : Kind::kOther;
}

// Returns the number of characters of 's, 't, 're, 've, 'm, 'll or 'd here; 0 if there is none.
std::size_t contraction_at(std::string_view text) {
    for (const std::string_view one : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
        if (text.starts_with(one)) {
            return one.size();
        }
    }
    return 0;
}

// Calls use(std::string_view) with each word of the text.
template <class Use>
void for_each_spaced_word(std::string_view text, Use use) {
    const std::vector<Character> all = characters_of(text);
    const auto kind_at = [&](std::size_t place) { return kind_of(all[place].code); };
    for (std::size_t at = 0; at < all.size();) {
        std::size_t end = at + contraction_at(text.substr(all[at].begin));
        const bool has_blank =
            all[at].code == ' ' && at + 1 < all.size() && kind_at(at + 1) != Kind::kSpace;
        if (end == at) {
            const std::size_t first = at + (has_blank ? 1 : 0);
            const Kind kind = kind_at(first);
            end = first;
            while (end < all.size() && kind_at(end) == kind) {
                ++end;
            }
            // The last blank before a word belongs to that.
            if (kind == Kind::kSpace && end < all.size() && end - at > 1) {
                --end;
            }
        }
        use(text.substr(all[at].begin, all[end - 1].end - all[at].begin));
        at = end;
    }
}

std::uint64_t pair_of(std::int64_t left, std::int64_t right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

}  // namespace

BytePairs::BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges) {
    const std::string pieces = read_whole_file(vocabulary);
    const std::string pairs = read_whole_file(merges);
    read_vocabulary(vocabulary, pieces);
    read_merges(merges, pairs);
    find_controls();
    digest_ = fnv1a(pieces + '\0' + pairs);
}

void BytePairs::read_vocabulary(const std::filesystem::path& file, const std::string& text) {
    const nlohmann::json table = nlohmann::json::parse(text, nullptr, false);
    const auto refuse = [&](const auto&... what) {
        throw ptp::DataError(file, ": ", what...,
                             "\nfix: take the vocab.json of a published model: an object with each "
                             "piece and its index");
    };
    if (!table.is_object() || table.empty()) {
        refuse("is not a JSON object of pieces");
    }
    pieces_.resize(table.size());
    std::vector<bool> is_given(table.size());
    for (const auto& [piece, index] : table.items()) {
        if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= table.size()) {
            refuse("'", piece, "' has the index ", index.dump(), ", expected 0 to ",
                   table.size() - 1);
        }
        const auto place = index.get<std::size_t>();
        if (is_given[place]) {
            refuse("'", piece, "' and '", pieces_[place], "' have the index ", place);
        }
        is_given[place] = true;
        pieces_[place] = piece;
        indices_.emplace(piece, static_cast<std::int64_t>(place));
    }
    const auto characters = byte_characters();
    for (std::size_t byte = 0; byte < characters.size(); ++byte) {
        const auto index = find(in_utf8(characters[byte]));
        if (!index) {
            refuse("has no piece '", in_utf8(characters[byte]), "' for the byte ", byte);
        }
        bytes_[byte] = *index;
    }
}

void BytePairs::read_merges(const std::filesystem::path& file, const std::string& text) {
    if (ptp::support::has_lone_returns(text)) {
        throw ptp::DataError(file, ": ", ptp::support::kLoneReturns);
    }
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (line.empty() || (number == 1 && line.starts_with("#version"))) {
            continue;
        }
        const std::size_t blank = line.find(' ');
        if (blank == std::string::npos || line.find(' ', blank + 1) != std::string::npos) {
            throw ptp::DataError(file, ":", number, ": '", line,
                                 "' is not two pieces with a blank between them", kMergesFix);
        }
        const std::string left = line.substr(0, blank);
        const std::string right = line.substr(blank + 1);
        for (const std::string& piece : {left, right, left + right}) {
            if (!indices_.contains(piece)) {
                throw ptp::DataError(file, ":", number, ": '", piece, "' is not in the vocabulary",
                                     kMergesFix);
            }
        }
        merges_.emplace(pair_of(indices_[left], indices_[right]),
                        Merge{merges_.size(), indices_[left + right]});
    }
}

void BytePairs::find_controls() {
    const auto first_of = [&](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            if (const auto index = find(name)) {
                if (std::ranges::find(controls_, name) == controls_.end()) {
                    controls_.emplace_back(name);
                }
                return index;
            }
        }
        return std::optional<std::int64_t>();
    };
    begin_ = first_of({"<s>", "<|endoftext|>"});
    end_ = first_of({"</s>", "<|endoftext|>"});
    padding_ = first_of({"<pad>"});
    unknown_ = first_of({"<unk>", "<|endoftext|>"});
}

std::optional<std::int64_t> BytePairs::find(std::string_view piece) const {
    const auto found = indices_.find(std::string(piece));
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t BytePairs::index_of(std::string_view piece) const {
    return find(piece).value_or(unknown_.value_or(0));
}

const BytePairs::Merge* BytePairs::merge_of(std::int64_t left, std::int64_t right) const {
    const auto found = merges_.find(pair_of(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

void BytePairs::add_word(std::string_view word, std::vector<std::string>& pieces) const {
    std::vector<std::int64_t> parts;
    for (const char byte : word) {
        parts.push_back(bytes_[static_cast<unsigned char>(byte)]);
    }
    while (parts.size() > 1) {
        const Merge* best = nullptr;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const Merge* merge = merge_of(parts[i], parts[i + 1]);
            if (merge != nullptr && (best == nullptr || merge->rank < best->rank)) {
                best = merge;
            }
        }
        if (best == nullptr) {
            break;
        }
        std::vector<std::int64_t> merged;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const bool is_pair = i + 1 < parts.size() && merge_of(parts[i], parts[i + 1]) == best;
            merged.push_back(is_pair ? best->piece : parts[i]);
            i += is_pair ? 1 : 0;
        }
        parts = std::move(merged);
    }
    for (const std::int64_t part : parts) {
        pieces.push_back(piece(part));
    }
}

std::vector<std::string> BytePairs::pieces(std::string_view sentence) const {
    std::vector<std::string> all;
    for_each_part(sentence, controls_, [&](std::string_view part, bool is_control) {
        if (is_control) {
            all.emplace_back(part);
            return;
        }
        for_each_spaced_word(part, [&](std::string_view word) { add_word(word, all); });
    });
    return all;
}

std::string BytePairs::sentence(const std::vector<std::string_view>& pieces) const {
    static const auto bytes = [] {
        std::unordered_map<std::int32_t, char> made;
        const auto characters = byte_characters();
        for (std::size_t byte = 0; byte < characters.size(); ++byte) {
            made.emplace(characters[byte], static_cast<char>(byte));
        }
        return made;
    }();
    std::string text;
    for (const std::string_view piece : pieces) {
        if (std::ranges::find(controls_, piece) != controls_.end()) {
            continue;
        }
        for (const Character& character : characters_of(piece)) {
            const auto byte = bytes.find(character.code);
            if (byte != bytes.end()) {
                text += byte->second;
            }
        }
    }
    return repaired(text);
}

}  // namespace subwords
