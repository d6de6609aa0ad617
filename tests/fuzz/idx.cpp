#include "idx_file.hpp"

#include "fuzz/expect.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

#include <ptp/error.hpp>

namespace ptp::fuzz {

void idx(std::string_view input) {
    const InputFile file(input);
    for (const size_t rank : {1, 3}) {
        try {
            const IdxFile read = read_idx_file({.folder = file.path().parent_path(),
                                                .name = file.path().filename().string(),
                                                .rank = rank,
                                                .remedy = "none"});
            size_t count = 1;
            for (const int64_t size : read.sizes) {
                count *= static_cast<size_t>(size);
            }
            expect(read.sizes.size() == rank && read.bytes.size() == count,
                   "as many bytes as the sizes say");
        } catch (const ptp::DataError&) {
        }
    }
}

}  // namespace ptp::fuzz
