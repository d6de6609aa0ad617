// What torch.save() writes, made part by part, so that single parts can be wrong: pickles of
// protocol 2 and the files that they lie in.

#pragma once

#include <boost/crc.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

// The number's lowest bytes, the lowest first.
inline std::string little_endian(std::uint64_t number, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
        text += static_cast<char>(number >> (8 * i));
    }
    return text;
}

// Values of a pickle, as its instructions -----------------------------------------------------

inline std::string pickled_all(std::initializer_list<std::string> values) {
    std::string text;
    for (const std::string& value : values) {
        text += value;
    }
    return text;
}
inline std::string pickled(std::string_view text) {
    return "X" + little_endian(text.size(), 4) + std::string(text);
}
inline std::string pickled(int number) {
    return "J" + little_endian(static_cast<std::uint64_t>(number), 4);
}
inline std::string pickled_tuple(std::initializer_list<std::string> items) {
    return "(" + pickled_all(items) + "t";
}
inline std::string pickled_list(std::initializer_list<std::string> items) {
    return "](" + pickled_all(items) + "e";
}
inline std::string pickled_dict(std::initializer_list<std::string> keys_and_values) {
    return "}(" + pickled_all(keys_and_values) + "u";
}
// "torch.FloatStorage"
inline std::string pickled_global(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return "c" + name.substr(0, dot) + "\n" + name.substr(dot + 1) + "\n";
}
inline std::string pickled_storage(const char* key, int count,
                                   const char* type = "torch.FloatStorage") {
    return pickled_tuple({pickled("storage"), pickled_global(type), pickled(key), pickled("cpu"),
                          pickled(count)}) +
           "Q";
}
// Of one dimension.
inline std::string pickled_tensor(const std::string& storage, int size, int stride = 1) {
    return pickled_global("torch._utils._rebuild_tensor_v2") +
           pickled_tuple({storage, pickled(0), pickled_tuple({pickled(size)}),
                          pickled_tuple({pickled(stride)})}) +
           "R";
}
inline std::string whole_pickle(const std::string& value) {
    return "\x80\x02" + value + ".";
}

// A zip archive -------------------------------------------------------------------------------

struct ZipPart {
    std::string name;
    std::string bytes;
    std::uint16_t method = 0;       // 0: stored
    std::int64_t stated_size = -1;  // -1: what it is
    bool is_the_first = false;      // lies where the first one does
};

inline std::string zip_archive(const std::vector<ZipPart>& parts) {
    std::string file;
    std::string directory;
    for (const ZipPart& part : parts) {
        boost::crc_32_type crc;
        crc.process_bytes(part.bytes.data(), part.bytes.size());
        const std::uint64_t size =
            part.stated_size < 0 ? part.bytes.size() : static_cast<std::uint64_t>(part.stated_size);
        const std::string facts = little_endian(20, 2) + little_endian(0, 2) +
                                  little_endian(part.method, 2) + little_endian(0, 4) +
                                  little_endian(crc.checksum(), 4) +
                                  little_endian(part.bytes.size(), 4) + little_endian(size, 4) +
                                  little_endian(part.name.size(), 2) + little_endian(0, 2);
        directory += "PK\x01\x02" + little_endian(20, 2) + facts +
                     std::string(10, '\0') +  // no comment, disk and attributes
                     little_endian(part.is_the_first ? 0 : file.size(), 4) + part.name;
        if (!part.is_the_first) {
            file += "PK\x03\x04" + facts + part.name + part.bytes;
        }
    }
    const std::string counts = little_endian(parts.size(), 2);
    return file + directory + "PK\x05\x06" + std::string(4, '\0') + counts + counts +
           little_endian(directory.size(), 4) + little_endian(file.size(), 4) +
           std::string(2, '\0');
}

}  // namespace ptp::test
