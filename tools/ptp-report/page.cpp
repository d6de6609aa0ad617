// Assembles the HTML file of a report.

#include "ptp-report/page.hpp"

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

#include <fmt/core.h>
#include <libdeflate.h>

#include <charconv>
#include <memory>
#include <new>

namespace ptp::report {

namespace {

// Beyond some size a page is made smaller at three times the time.
constexpr int kFastCompression = 1;
constexpr int kCompression = 6;
constexpr std::size_t kLargeText = 4U << 20U;

// Returns zlib's format, which every browser unpacks by DecompressionStream("deflate").
std::string compressed(const std::string& text) {
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
        libdeflate_alloc_compressor(text.size() < kLargeText ? kFastCompression : kCompression),
        libdeflate_free_compressor);
    if (!compressor) {
        throw std::bad_alloc();
    }
    std::string bytes(libdeflate_zlib_compress_bound(compressor.get(), text.size()), '\0');
    bytes.resize(libdeflate_zlib_compress(compressor.get(), text.data(), text.size(), bytes.data(),
                                          bytes.size()));
    return bytes;
}

// Returns the source of a Content-Security-Policy that allows this text.
std::string source_of(std::string_view text) {
    const std::string digits = sha256(text);
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        bytes += static_cast<char>(byte);
    }
    return "'sha256-" + base64(bytes) + "'";
}

std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : harmless(text)) {
        switch (c) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            default:
                html += c;
        }
    }
    return html;
}

}  // namespace

std::string page_of(const Json& data, std::string_view title) {
    std::string page = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {}; "
        "style-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>",
        source_of(kScript), source_of(kStyle), escaped(title));
    page += kStyle;
    page +=
        "</style>\n</head>\n<body>\n<main id=\"report\"><p>This report needs a browser that runs "
        "its script.</p></main>\n<script type=\"text/plain\" id=\"data\">";
    page += base64(compressed(text_of(data)));
    page += "</script>\n<script>";
    page += kScript;
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace ptp::report
