// Archives as POSIX.1-1988 has them, with the "ustar" of 2001, written beside the program's own
// writer.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

struct TarEntry {
    std::string path;
    std::string content;
    // '1' hard link, '2' symbolic link, '3' device, '5' folder, '6' pipe, 'S' sparse
    char type = '0';
    std::string link = {};
    std::string size = {};  // the field of the header, in place of the content's size
};

inline std::string octal(std::uint64_t number, int digits) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%0*lo", digits, static_cast<unsigned long>(number));
    return text.data();
}

inline std::string tar_of(const std::vector<TarEntry>& entries) {
    constexpr std::size_t kBlock = 512;
    std::string tar;
    for (const TarEntry& entry : entries) {
        std::string header(kBlock, '\0');
        const auto put = [&](std::size_t at, std::string_view text) {
            header.replace(at, text.size(), text);
        };
        put(0, std::string_view(entry.path).substr(0, 100));
        put(100, "0000644");
        put(108, "0000000");
        put(116, "0000000");
        put(124, entry.size.empty() ? octal(entry.content.size(), 11) : entry.size);
        put(136, "00000000000");
        put(148, "        ");
        header[156] = entry.type;
        put(157, entry.link);
        put(257, std::string_view("ustar\00000", 8));
        unsigned sum = 0;
        for (const char c : header) {
            sum += static_cast<unsigned char>(c);
        }
        put(148, octal(sum, 6));
        header[154] = '\0';
        tar += header + entry.content;
        tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock);
    }
    return tar + std::string(2 * kBlock, '\0');
}

}  // namespace ptp::test
