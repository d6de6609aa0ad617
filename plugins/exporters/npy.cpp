// Writes the header and the numbers of NumPy files.

#include "npy.hpp"

#include <stdexcept>

namespace {

// Returns the type in little-endian order, that of all supported machines.
const char* type_text(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return "<f4";
        case at::kDouble:
            return "<f8";
        case at::kHalf:
            return "<f2";
        case at::kLong:
            return "<i8";
        case at::kInt:
            return "<i4";
        case at::kShort:
            return "<i2";
        case at::kChar:
            return "|i1";
        case at::kByte:
            return "|u1";
        case at::kBool:
            return "|b1";
        default:
            throw std::logic_error("npy: a type that NumPy does not have");
    }
}

}  // namespace

std::string npy_header(const at::Tensor& rows_like, uint64_t rows) {
    constexpr std::size_t kMaxDigits = 20;  // of the number of rows
    constexpr std::size_t kAlignment = 64;
    constexpr std::size_t kPreamble = 10;
    const std::string count = std::to_string(rows);
    std::string text = "{'descr': '";
    text += type_text(rows_like.scalar_type());
    text += "', 'fortran_order': False, 'shape': (";
    text += count;
    text += ',';
    for (int64_t dim = 1; dim < rows_like.dim(); ++dim) {
        text += ' ';
        text += std::to_string(rows_like.size(dim));
        text += ',';
    }
    text += "), }";
    const std::size_t longest = kPreamble + text.size() - count.size() + kMaxDigits + 1;
    const std::size_t whole = (longest + kAlignment - 1) / kAlignment * kAlignment;
    text.resize(whole - kPreamble - 1, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xFFU);
    header += static_cast<char>(text.size() >> 8U);
    return header + text;
}

at::Tensor npy_values(const at::Tensor& tensor) {
    const bool is_unknown = tensor.scalar_type() == at::kBFloat16;
    return tensor.detach()
        .to(at::kCPU, is_unknown ? at::kFloat : tensor.scalar_type())
        .contiguous();
}
