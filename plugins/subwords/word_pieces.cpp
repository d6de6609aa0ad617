// Cleans and splits texts as BERT's tokenizer does, by ICU.

#include "word_pieces.hpp"

#include "characters.hpp"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <ptp/error.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace subwords {

namespace {

constexpr std::array kControls{"[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"};
constexpr std::size_t kMaxCharacters = 100;  // a longer word is unknown

bool is_blank(std::int32_t code) {
    return code == ' ' || code == '\t' || code == '\n' || code == '\r' ||
           u_charType(code) == U_SPACE_SEPARATOR;
}

bool is_dropped(std::int32_t code) {
    return code == 0 || code == 0xfffd || (U_GET_GC_MASK(code) & U_GC_C_MASK) != 0;
}

// Each is a word of its own: ideographs, and punctuation, which is all of ASCII's that is neither a
// letter nor a digit.
bool is_alone(std::int32_t code) {
    constexpr std::array<std::array<std::int32_t, 2>, 8> kIdeographs{{{0x4e00, 0x9fff},
                                                                      {0x3400, 0x4dbf},
                                                                      {0x20000, 0x2a6df},
                                                                      {0x2a700, 0x2b73f},
                                                                      {0x2b740, 0x2b81f},
                                                                      {0x2b820, 0x2ceaf},
                                                                      {0xf900, 0xfaff},
                                                                      {0x2f800, 0x2fa1f}}};
    const bool is_ascii = code < 0x80;
    if (is_ascii) {
        return code > ' ' && code < 0x7f && u_isalnum(code) == 0;
    }
    return (U_GET_GC_MASK(code) & U_GC_P_MASK) != 0 ||
           std::ranges::any_of(kIdeographs, [&](const auto& range) {
               return code >= range[0] && code <= range[1];
           });
}

// Returns the text in lower case, without accents.
std::string plain(std::string_view text) {
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* const normalizer = icu::Normalizer2::getNFDInstance(error);
    icu::UnicodeString lowered = icu::UnicodeString::fromUTF8(
        icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
    lowered.toLower(icu::Locale::getRoot());
    if (U_SUCCESS(error)) {
        lowered = normalizer->normalize(lowered, error);
    }
    if (U_FAILURE(error)) {
        throw ptp::SystemError("ICU cannot take accents from a text: ", u_errorName(error));
    }
    std::string result;
    for (std::int32_t at = 0; at < lowered.length(); at = lowered.moveIndex32(at, 1)) {
        const UChar32 code = lowered.char32At(at);
        if (u_charType(code) != U_NON_SPACING_MARK) {
            append(code, result);
        }
    }
    return result;
}

// Calls use(std::string_view) with each word and each character that is alone.
template <class Use>
void for_each_clean_word(std::string_view text, Use use) {
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) {
            use(word);
        }
        word.clear();
    };
    for (const Character& character : characters_of(text)) {
        if (is_blank(character.code)) {
            end_word();
        } else if (is_alone(character.code)) {
            end_word();
            append(character.code, word);
            end_word();
        } else if (!is_dropped(character.code)) {
            append(character.code, word);
        }
    }
    end_word();
}

}  // namespace

WordPieces::WordPieces(const std::filesystem::path& vocabulary, bool has_lowercase)
    : has_lowercase_(has_lowercase) {
    const std::string text = read_whole_file(vocabulary);
    constexpr const char* kFix =
        "\nfix: take the vocab.txt of a published model: a piece in each line";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        const auto [first, is_new] = indices_.emplace(line, size());
        if (!is_new) {
            throw ptp::DataError(vocabulary, ":", size() + 1, ": '", line, "' is also in line ",
                                 first->second + 1, kFix);
        }
        pieces_.push_back(line);
    }
    const auto unknown = find("[UNK]");
    if (!unknown) {
        throw ptp::DataError(vocabulary, ": has no line [UNK], the piece for unknown words", kFix);
    }
    unknown_ = *unknown;
    for (const char* control : kControls) {
        if (find(control)) {
            controls_.emplace_back(control);
        }
    }
    digest_ = fnv1a(text);
}

std::optional<std::int64_t> WordPieces::find(std::string_view piece) const {
    const auto found = indices_.find(std::string(piece));
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

std::int64_t WordPieces::index_of(std::string_view piece) const {
    return find(piece).value_or(unknown_);
}

void WordPieces::add_word(std::string_view word, std::vector<std::string>& pieces) const {
    const std::vector<Character> all = characters_of(word);
    std::vector<std::string> found;
    for (std::size_t begin = 0; begin < all.size() && all.size() <= kMaxCharacters;) {
        std::size_t end = all.size();
        std::string piece;
        for (; end > begin; --end) {
            piece = begin == 0 ? "" : "##";
            piece += word.substr(all[begin].begin, all[end - 1].end - all[begin].begin);
            if (find(piece)) {
                break;
            }
        }
        if (end == begin) {
            found.clear();
            break;
        }
        found.push_back(std::move(piece));
        begin = end;
    }
    if (found.empty()) {
        pieces.push_back(pieces_[static_cast<std::size_t>(unknown_)]);
    }
    std::ranges::move(found, std::back_inserter(pieces));
}

std::vector<std::string> WordPieces::pieces(std::string_view sentence) const {
    std::vector<std::string> all;
    for_each_part(sentence, controls_, [&](std::string_view part, bool is_control) {
        if (is_control) {
            all.emplace_back(part);
            return;
        }
        for_each_clean_word(part, [&](std::string_view word) {
            if (!has_lowercase_) {
                add_word(word, all);
                return;
            }
            // A letter with an accent may be made of punctuation.
            for_each_clean_word(plain(word), [&](std::string_view one) { add_word(one, all); });
        });
    });
    return all;
}

std::string WordPieces::sentence(const std::vector<std::string_view>& pieces) const {
    std::string text;
    for (const std::string_view piece : pieces) {
        if (std::ranges::find(controls_, piece) != controls_.end()) {
            continue;
        }
        const bool is_within = piece.starts_with("##");
        text += text.empty() || is_within ? "" : " ";
        text += piece.substr(is_within ? 2 : 0);
    }
    return text;
}

}  // namespace subwords
