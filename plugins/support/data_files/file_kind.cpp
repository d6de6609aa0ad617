// Knows formats by their first bytes, and the commands that make text or tables of them.

#include "file_kind.hpp"

#include "csv_separators.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace ptp::support {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

// A command that makes a table of a file, or unpacks it.
enum class Conversion { kNone, kSpreadsheet, kPandas, kGzip, kBzip2, kXz, kZstd, kZip, kTar };

struct Kind {
    std::string_view begin;
    const char* name;
    Conversion conversion = Conversion::kNone;
    const char* how = "";  // the reader of pandas; the ending of a file that letters begin
};

constexpr std::array kKinds = {
    Kind{"\x89PNG\r\n\x1a\n"sv, "a PNG image"},
    Kind{"\xff\xd8\xff"sv, "a JPEG image"},
    Kind{"GIF8"sv, "a GIF image", Conversion::kNone, ".gif"},
    Kind{"II*\0"sv, "a TIFF image"},
    Kind{"MM\0*"sv, "a TIFF image"},
    Kind{"PAR1"sv, "a Parquet file", Conversion::kPandas, "parquet"},
    Kind{"ARROW1"sv, "a Feather file", Conversion::kPandas, "feather"},
    Kind{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file", Conversion::kPandas, "hdf"},
    Kind{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an old spreadsheet or document of Office",
         Conversion::kSpreadsheet},
    Kind{"\x93NUMPY"sv, "an array of NumPy"},
    Kind{"\x1f\x8b"sv, "compressed by gzip", Conversion::kGzip},
    Kind{"BZh"sv, "compressed by bzip2", Conversion::kBzip2, ".bz2"},
    Kind{"\xfd"
         "7zXZ\0"sv,
         "compressed by xz", Conversion::kXz},
    Kind{"\x28\xb5\x2f\xfd"sv, "compressed by zstd", Conversion::kZstd},
    Kind{"%PDF-"sv, "a PDF document", Conversion::kNone, ".pdf"},
    Kind{"SQLite format 3\0"sv, "a database of SQLite"},
    Kind{"\x7f"
         "ELF"sv,
         "a program"},
};

bool has(std::string_view bytes, std::string_view part) {
    constexpr std::size_t kStart = 4096;
    return bytes.substr(0, kStart).find(part) != std::string_view::npos;
}

// Returns what is in an archive of zip, by the names of its first files.
Kind zip_kind(std::string_view bytes) {
    const std::string_view begin = bytes.substr(0, 4);
    if (has(bytes, "xl/") || has(bytes, "opendocument.spreadsheet")) {
        return {begin, "a spreadsheet", Conversion::kSpreadsheet};
    }
    if (has(bytes, "[Content_Types].xml") || has(bytes, "opendocument.text")) {
        return {begin, "a document or a spreadsheet", Conversion::kSpreadsheet};
    }
    if (has(bytes, "data.pkl")) {
        return {begin, "a file of PyTorch"};
    }
    if (has(bytes, ".npy")) {
        return {begin, "a file of arrays of NumPy"};
    }
    return {begin, "an archive of zip", Conversion::kZip};
}

std::optional<Kind> kind_of(std::string_view bytes) {
    const auto known = std::ranges::find_if(
        kKinds, [&](const Kind& kind) { return bytes.starts_with(kind.begin); });
    if (known != kKinds.end()) {
        return *known;
    }
    if (bytes.starts_with("PK\x03\x04"sv)) {
        return zip_kind(bytes);
    }
    if (bytes.starts_with("RIFF") && bytes.size() > 12) {
        return Kind{"RIFF", bytes.substr(8, 4) == "WEBP" ? "a WebP image" : "a sound or a video"};
    }
    if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
        return Kind{bytes.substr(0, 2), "a pickle of Python, which runs code when it is loaded"};
    }
    if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar") {
        return Kind{"", "an archive of tar", Conversion::kTar};
    }
    return std::nullopt;
}

// Returns a name beside the file, which is what is made of it.
std::string made_of(const fs::path& file, const std::string& ending) {
    fs::path made = file;
    made.replace_extension();
    return made.string() + ending;
}

// Returns a text as Python's source has it.
std::string python_text(const std::string& text) {
    std::string written = "'";
    for (const char c : text) {
        written += c == '\n'                ? "\\n"
                   : c == '\'' || c == '\\' ? std::string("\\") + c
                                            : std::string(1, c);
    }
    return written + "'";
}

// Returns the command that runs a program of Python, whatever its names have.
std::string python_command(const std::string& program) {
    const bool is_plain = program.find_first_of("\"$`\\!") == std::string::npos;
    return "python3 -c " + (is_plain ? '"' + program + '"' : shell_path(program));
}

std::string conversion_of(const Kind& kind, const fs::path& file, Expected expected) {
    const std::string path = shell_path(file);
    switch (kind.conversion) {
        case Conversion::kPandas:
            return expected == Expected::kText
                       ? ""
                       : python_command(detail::join("import pandas; pandas.read_", kind.how, "(",
                                                     python_text(file.string()), ").to_csv(",
                                                     python_text(made_of(file, ".csv")),
                                                     ", index=False)"));
        case Conversion::kSpreadsheet:
            return expected == Expected::kText ? "" : "libreoffice --convert-to csv " + path;
        case Conversion::kGzip:
            return "gunzip -k " + path;
        case Conversion::kBzip2:
            return "bunzip2 -k " + path;
        case Conversion::kXz:
            return "unxz -k " + path;
        case Conversion::kZstd:
            return "unzstd " + path;
        case Conversion::kZip:
            return "unzip " + path;
        case Conversion::kTar:
            return "tar -xf " + path;
        case Conversion::kNone:
            break;
    }
    return "";
}

const char* read_here(Expected expected) {
    return expected == Expected::kTable ? "; a table in text, such as CSV, is read here"
                                        : "; a text in UTF-8 is read here";
}

// Returns the first byte that texts of one byte for a letter do not have; npos if there is none.
std::size_t control_at(std::string_view bytes) {
    constexpr std::string_view kUsual = "\t\n\v\f\r\x1a\x1b"sv;
    const auto found = std::ranges::find_if(bytes, [&](char c) {
        return static_cast<unsigned char>(c) < 0x20 && kUsual.find(c) == std::string_view::npos;
    });
    return found == bytes.end() ? std::string_view::npos
                                : static_cast<std::size_t>(found - bytes.begin());
}

}  // namespace

std::string other_kind(const fs::path& file, std::string_view bytes, bool is_text,
                       Expected expected) {
    const auto kind = kind_of(bytes);
    if (!kind || (is_text && !file.extension().string().ends_with(kind->how)) ||
        (is_text && *kind->how == '\0')) {
        return "";
    }
    const std::string fix = conversion_of(*kind, file, expected);
    return detail::join(": is ", kind->name, read_here(expected),
                        fix.empty() ? "" : "\nfix: ", fix);
}

std::optional<std::string_view> wide_encoding(std::string_view bytes) {
    constexpr std::size_t kLooked = 1000;
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
        return "UTF-16";
    }
    std::array<std::size_t, 2> zeros{};
    const std::size_t looked = std::min(bytes.size(), kLooked);
    for (std::size_t i = 0; i < looked; ++i) {
        zeros[i % 2] += bytes[i] == '\0' ? 1 : 0;
    }
    if (bytes.size() % 2 == 0 && (zeros[0] == 0) != (zeros[1] == 0) &&
        4 * (zeros[0] + zeros[1]) > looked) {
        return zeros[0] == 0 ? "UTF-16LE" : "UTF-16BE";
    }
    return std::nullopt;
}

std::string other_encoding(const fs::path& file, std::string_view bytes, std::size_t at,
                           Expected expected) {
    constexpr std::string_view kUnassigned = "\x81\x8d\x8f\x90\x9d";  // in WINDOWS-1252
    auto encoding = wide_encoding(bytes);
    if (!encoding) {
        if (const std::size_t control = control_at(bytes); control != std::string_view::npos) {
            std::array<char, 8> number{};
            std::snprintf(number.data(), number.size(), "0x%02X",
                          static_cast<unsigned>(static_cast<unsigned char>(bytes[control])));
            return detail::join(": is not text: it has the byte ", number.data(),
                                read_here(expected));
        }
        if (bytes.find_first_of(kUnassigned, at) != std::string_view::npos) {
            return ": is not valid UTF-8, nor WINDOWS-1252; convert it from its encoding, one of "
                   "iconv -l";
        }
    }
    const std::string own = shell_path(file);
    const std::string made = shell_path(made_of(file, ".utf8" + file.extension().string()));
    return detail::join(": is not valid UTF-8; convert it, as from Windows: iconv -f ",
                        encoding.value_or("WINDOWS-1252"), " -t UTF-8 ", own, " > ", made,
                        " && mv ", made, " ", own);
}

}  // namespace ptp::support
