// Plugin files with one wrong number in them, and what a scan says of each.

#include "support.hpp"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace damage_test {

namespace {

using namespace ptp::test;

template <class T>
T get(const std::string& content, std::uint64_t offset) {
    T value;
    std::memcpy(&value, content.data() + offset, sizeof value);
    return value;
}

template <class T>
void put(std::string& content, std::uint64_t offset, const T& value) {
    std::memcpy(content.data() + offset, &value, sizeof value);
}

// The offset of the program header that `is_wanted`.
std::uint64_t find_segment(const std::string& content,
                           const std::function<bool(const Elf64_Phdr&)>& is_wanted) {
    const auto header = get<Elf64_Ehdr>(content, 0);
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const std::uint64_t offset = header.e_phoff + i * sizeof(Elf64_Phdr);
        if (is_wanted(get<Elf64_Phdr>(content, offset))) {
            return offset;
        }
    }
    FAIL("there is no such segment");
    return 0;
}

// The offset of the number that belongs to a tag of the dynamic section.
std::uint64_t find_dynamic(const std::string& content, std::int64_t tag) {
    const auto segment = get<Elf64_Phdr>(
        content, find_segment(content, [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; }));
    for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        if (get<Elf64_Dyn>(content, segment.p_offset + at).d_tag == tag) {
            return segment.p_offset + at + offsetof(Elf64_Dyn, d_un);
        }
    }
    FAIL("there is no such tag");
    return 0;
}

std::string plain() {
    return read_file(hostile_file("plain"));
}

std::string with_dynamic(std::int64_t tag, std::uint64_t number) {
    std::string content = plain();
    put(content, find_dynamic(content, tag), number);
    return content;
}

// The address of the last byte that is loaded from the file.
std::uint64_t last_address(const std::string& content) {
    const auto header = get<Elf64_Ehdr>(content, 0);
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = get<Elf64_Phdr>(content, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (segment.p_type == PT_LOAD) {
            last = std::max(last, segment.p_vaddr + segment.p_filesz - 1);
        }
    }
    return last;
}

constexpr std::uint64_t kNowhere = std::uint64_t{1} << 40;
constexpr std::uint64_t kMax = ~std::uint64_t{0};

}  // namespace

TEST_CASE("damaged plugin: tables that are nowhere, or that end outside the file") {
    const std::string not_loaded = "is damaged: it refers to an address that is not loaded";
    const std::string outside = "is damaged: it refers to a place outside itself";
    CHECK(rejection(with_dynamic(DT_STRTAB, kNowhere)) == not_loaded);
    CHECK(rejection(with_dynamic(DT_STRTAB, kMax)) == not_loaded);
    CHECK(rejection(with_dynamic(DT_STRTAB, last_address(plain()))) == outside);
    CHECK(rejection(with_dynamic(DT_STRSZ, kNowhere)) == outside);
    CHECK(rejection(with_dynamic(DT_STRSZ, kMax)) == outside);
}

TEST_CASE("damaged plugin: names outside their table, and one without an end") {
    CHECK(rejection(with_dynamic(DT_STRSZ, 1)) ==
          "is damaged: it refers to a name outside its table of names");
    // Addresses of the first segment, where the names are, are offsets in the file.
    const std::string content = plain();
    const std::uint64_t names = get<std::uint64_t>(content, find_dynamic(content, DT_STRTAB));
    const std::uint64_t needed = get<std::uint64_t>(content, find_dynamic(content, DT_NEEDED));
    REQUIRE(content.find("ptp_plugin_entry", names) < names + needed);  // so it is the last one
    CHECK(rejection(with_dynamic(DT_STRSZ, needed + 3)) ==
          "is damaged: it has a name without an end");
}

TEST_CASE("damaged plugin: notes that are longer than their place") {
    for (const std::size_t length :
         {offsetof(Elf64_Nhdr, n_namesz), offsetof(Elf64_Nhdr, n_descsz)}) {
        std::string content = plain();
        const auto segment = get<Elf64_Phdr>(
            content,
            find_segment(content, [](const Elf64_Phdr& s) { return s.p_type == PT_NOTE; }));
        put(content, segment.p_offset + length, std::uint32_t{0xffffffff});
        CHECK(rejection(content) == "is damaged: a note in it is longer than its place");
    }
}

TEST_CASE("damaged plugin: no table of segments, or one of another format") {
    std::string content = plain();
    put(content, offsetof(Elf64_Ehdr, e_phnum), std::uint16_t{0});
    CHECK(rejection(content) == "is damaged: it has no readable table of segments");
    content = plain();
    put(content, offsetof(Elf64_Ehdr, e_phentsize), std::uint16_t{8});
    CHECK(rejection(content) == "is damaged: it has no readable table of segments");
}

TEST_CASE("damaged plugin: a segment that reaches beyond the end of the file") {
    std::string content = plain();
    const std::uint64_t segment =
        find_segment(content, [](const Elf64_Phdr& s) { return s.p_type == PT_LOAD; });
    put(content, segment + offsetof(Elf64_Phdr, p_filesz), std::uint64_t{1'000'000'000});
    CHECK(rejection(content) == "is cut off: its header promises 1000000000 bytes, the file has " +
                                    std::to_string(content.size()));
    put(content, segment + offsetof(Elf64_Phdr, p_offset), kMax);
    CHECK(rejection(content) ==
          "is cut off: its header promises 18446744073709551615 bytes, the file has " +
              std::to_string(content.size()));
}

}  // namespace damage_test
