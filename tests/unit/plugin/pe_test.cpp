#include "plugin/library_file.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace pe_test {

namespace {

using ptp::FileError;
using ptp::UnfinishedFile;
using ptp::plugin::exported_names;
using ptp::plugin::LibraryFile;
using ptp::plugin::read_pe;

// Places in the file below, and addresses 0x1000 beyond them.
constexpr std::size_t kHeader = 0x80;
constexpr std::size_t kOptional = kHeader + 24;
constexpr std::size_t kSections = kOptional + 240;
constexpr std::size_t kCode = 0x400;
constexpr std::size_t kNotes = 0x600;
constexpr std::size_t kTables = 0x800;
constexpr std::size_t kEnd = 0xa00;
constexpr std::uint32_t kShift = 0x1000;

class Bytes {
public:
    template <class T>
    void put(std::size_t at, T value) {
        std::memcpy(content_.data() + at, &value, sizeof value);
    }
    void text(std::size_t at, const std::string& value) {
        std::memcpy(content_.data() + at, value.data(), value.size());
    }
    [[nodiscard]] const std::string& content() const { return content_; }

private:
    std::string content_ = std::string(kEnd, '\0');
};

void put_section(Bytes& file, int index, const std::string& name, std::size_t offset,
                 std::uint32_t size, std::uint32_t flags) {
    const std::size_t at = kSections + static_cast<std::size_t>(index) * 40;
    file.text(at, name);
    file.put(at + 8, size);
    file.put(at + 12, static_cast<std::uint32_t>(offset) + kShift);
    file.put(at + 16, std::uint32_t{0x200});
    file.put(at + 20, static_cast<std::uint32_t>(offset));
    file.put(at + 36, flags);
}

// A DLL by the book: code, one note, one imported and one exported name.
Bytes dll() {
    Bytes file;
    file.text(0, "MZ");
    file.put(0x3c, static_cast<std::uint32_t>(kHeader));
    file.text(kHeader, std::string("PE\0\0", 4));
    file.put(kHeader + 4, std::uint16_t{0x8664});
    file.put(kHeader + 6, std::uint16_t{3});
    file.put(kHeader + 20, std::uint16_t{240});
    file.put(kHeader + 22, std::uint16_t{0x2022});
    file.put(kOptional, std::uint16_t{0x20b});
    file.put(kOptional + 108, std::uint32_t{16});
    file.put(kOptional + 112, static_cast<std::uint32_t>(kTables) + kShift);
    file.put(kOptional + 116, std::uint32_t{40});
    file.put(kOptional + 120, static_cast<std::uint32_t>(kTables) + kShift + 0x80);
    file.put(kOptional + 124, std::uint32_t{40});
    put_section(file, 0, ".text", kCode, 4, 0x6000'0020);
    put_section(file, 1, ".ptpnote", kNotes, 24, 0x4000'0040);
    put_section(file, 2, ".tables", kTables, 0x200, 0x4000'0040);
    file.text(kCode, "code");
    file.put(kNotes, std::uint32_t{4});
    file.put(kNotes + 4, std::uint32_t{8});
    file.put(kNotes + 8, std::uint32_t{7});
    file.text(kNotes + 12, "PTP");
    file.text(kNotes + 16, "{\"a\":1} ");
    file.put(kTables + 24, std::uint32_t{1});
    file.put(kTables + 32, static_cast<std::uint32_t>(kTables) + kShift + 0x40);
    file.put(kTables + 0x40, static_cast<std::uint32_t>(kTables) + kShift + 0x50);
    file.text(kTables + 0x50, "ptp_plugin_entry");
    file.put(kTables + 0x80 + 12, static_cast<std::uint32_t>(kTables) + kShift + 0x100);
    file.text(kTables + 0x100, "KERNEL32.dll");
    return file;
}

LibraryFile read(const std::string& content) {
    const ptp::test::TempFolder temp;
    return read_pe(temp.write("a.dll", content));
}

LibraryFile read(const Bytes& file) {
    return read(file.content());
}

}  // namespace

TEST_CASE("pe: a DLL's machine, libraries, entry and notes are read without loading it") {
    const LibraryFile file = read(dll());
    CHECK(file.machine == "x86_64");
    CHECK(file.needed == std::vector<std::string>{"KERNEL32.dll"});
    CHECK(file.has_entry);
    REQUIRE(file.notes.size() == 1);
    CHECK(file.notes[0].owner == "PTP");
    CHECK(file.notes[0].type == 7);
    CHECK(file.notes[0].content == "{\"a\":1} ");
    CHECK(file.notes[0].offset == kNotes + 16);
    // sha256sum of "code"
    CHECK(file.code_hash == "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b");
}

TEST_CASE("pe: the exported names are all that the table has") {
    const ptp::test::TempFolder temp;
    CHECK(exported_names(temp.write("a.dll", dll().content())) ==
          std::vector<std::string>{"ptp_plugin_entry"});
}

TEST_CASE("pe: a file without tables exports and needs nothing") {
    Bytes file = dll();
    file.put(kOptional + 116, std::uint32_t{0});
    file.put(kOptional + 124, std::uint32_t{0});
    CHECK_FALSE(read(file).has_entry);
    CHECK(read(file).needed.empty());
}

TEST_CASE("pe: what is not a DLL for this machine is refused with its reason") {
    CHECK_THROWS_WITH_AS(read("\x7f"
                              "ELF what follows"),
                         "is not a DLL: it begins with '.ELF wh'", FileError);
    Bytes file = dll();
    file.text(kHeader, "NE");
    CHECK_THROWS_WITH_AS(read(file), "is not a DLL but another kind of program for Windows or DOS",
                         FileError);
    file = dll();
    file.put(kHeader + 4, std::uint16_t{0x014c});
    CHECK_THROWS_WITH_AS(read(file), "is built for 32-bit x86, this host is x86-64", FileError);
    file = dll();
    file.put(kHeader + 22, std::uint16_t{0x0022});
    CHECK_THROWS_WITH_AS(read(file), "is not a shared library but a program", FileError);
    file = dll();
    file.put(kHeader + 6, std::uint16_t{97});
    CHECK_THROWS_WITH_AS(read(file), "is damaged: it has no readable table of sections", FileError);
}

TEST_CASE("pe: a file that is cut off anywhere is refused, and may be written just now") {
    const std::string whole = dll().content();
    CHECK_THROWS_WITH_AS(read(std::string()), "is empty", UnfinishedFile);
    CHECK_THROWS_WITH_AS(read(std::string(100, '\0')), "is not a DLL: it begins with '.......'",
                         UnfinishedFile);
    CHECK_THROWS_WITH_AS(read(whole.substr(0, 0x900)),
                         "is cut off: its header promises 2560 bytes, the file has 2304",
                         UnfinishedFile);
    for (const std::size_t size : {1U, 2U, 0x3fU, 0x40U, 0x81U, 0x100U, 0x1f0U, 0x401U}) {
        CAPTURE(size);
        CHECK_THROWS_AS(read(whole.substr(0, size)), UnfinishedFile);
    }
}

TEST_CASE("pe: places outside the file are refused, whichever table has them") {
    struct Case {
        std::size_t at;
        std::uint32_t value;
        const char* message;
    };
    const Case cases[] = {
        {kOptional + 112, 0x7000'0000, "is damaged: it refers to an address that is not loaded"},
        {kOptional + 120, 0x7000'0000, "is damaged: it refers to an address that is not loaded"},
        {kTables + 24, 70'000, "is damaged: it exports too many names"},
        {kTables + 24, 60'000, "is damaged: it refers to an address that is not loaded"},
        {kTables + 32, 0x7000'0000, "is damaged: it refers to an address that is not loaded"},
        {kTables + 0x40, 0x7000'0000, "is damaged: it refers to an address that is not loaded"},
        {kNotes + 4, 1000, "is damaged: a note in it is longer than its place"}};
    for (const Case& c : cases) {
        CAPTURE(c.at);
        CAPTURE(c.value);
        Bytes file = dll();
        file.put(c.at, c.value);
        CHECK_THROWS_WITH_AS(read(file), c.message, FileError);
    }
}

}  // namespace pe_test
