// Finds the two directions one after the other, by power iteration.

#include "ptp-report/principal_components.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ptp::report {

namespace {

constexpr int kMaxIterations = 200;
constexpr double kSameDirection = 1e-12;  // of the squared distance of two unit vectors

using Vector = std::vector<double>;

double product_of(const double* left, const Vector& right) {
    return std::inner_product(right.begin(), right.end(), left, 0.0);
}

// Returns the length that the vector had.
double normalize(Vector& vector) {
    const double length = std::sqrt(product_of(vector.data(), vector));
    for (double& number : vector) {
        number = length > 0 ? number / length : 0;
    }
    return length;
}

// Rows of numbers whose mean is 0 in each column.
class Centered {
public:
    Centered(std::span<const float> numbers, std::size_t width)
        : width_(width), rows_(numbers.size() / width), numbers_(rows_ * width) {
        for (std::size_t column = 0; column < width; ++column) {
            double sum = 0;
            std::size_t count = 0;
            for (std::size_t row = 0; row < rows_; ++row) {
                const float number = numbers[row * width + column];
                sum += std::isfinite(number) ? number : 0;
                count += std::isfinite(number) ? 1 : 0;
            }
            const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
            for (std::size_t row = 0; row < rows_; ++row) {
                const float number = numbers[row * width + column];
                numbers_[row * width + column] = std::isfinite(number) ? number - mean : 0;
            }
        }
    }

    [[nodiscard]] double variance() const { return product_of(numbers_.data(), numbers_); }

    // Returns the direction of the largest variance.
    [[nodiscard]] Vector direction() const {
        Vector direction(width_);
        for (std::size_t i = 0; i < width_; ++i) {  // no direction of data is likely to be normal
            direction[i] = 1 + static_cast<double>(i % 7) / 7;
        }
        normalize(direction);
        for (int i = 0; i < kMaxIterations; ++i) {
            Vector next = turned(direction);
            normalize(next);
            double moved = 0;
            for (std::size_t k = 0; k < width_; ++k) {
                moved += (next[k] - direction[k]) * (next[k] - direction[k]);
            }
            direction = std::move(next);
            if (moved < kSameDirection) {
                break;
            }
        }
        const auto largest =
            std::ranges::max_element(direction, {}, [](double number) { return std::abs(number); });
        if (largest != direction.end() && *largest < 0) {
            std::ranges::transform(direction, direction.begin(), std::negate());
        }
        return direction;
    }

    // Returns the coordinates along a direction, which the rows lose.
    Vector take(const Vector& direction) {
        Vector coordinates(rows_);
        for (std::size_t row = 0; row < rows_; ++row) {
            double* const numbers = numbers_.data() + row * width_;
            coordinates[row] = product_of(numbers, direction);
            for (std::size_t i = 0; i < width_; ++i) {
                numbers[i] -= coordinates[row] * direction[i];
            }
        }
        return coordinates;
    }

private:
    // Returns the product of the matrix of covariances, which is not computed, and a direction.
    [[nodiscard]] Vector turned(const Vector& direction) const {
        Vector result(width_);
        for (std::size_t row = 0; row < rows_; ++row) {
            const double* const numbers = numbers_.data() + row * width_;
            const double along = product_of(numbers, direction);
            for (std::size_t i = 0; i < width_; ++i) {
                result[i] += along * numbers[i];
            }
        }
        return result;
    }

    std::size_t width_;
    std::size_t rows_;
    Vector numbers_;
};

}  // namespace

PrincipalComponents principal_components(std::span<const float> numbers, std::size_t width) {
    PrincipalComponents result;
    if (width == 0 || numbers.size() < width) {
        return result;
    }
    Centered rows(numbers, width);
    const double all = rows.variance();
    const auto share_of = [&](const Vector& coordinates) {
        return all > 0 ? product_of(coordinates.data(), coordinates) / all : 0;
    };
    result.x = rows.take(rows.direction());
    result.y = rows.take(rows.direction());
    result.x_share = share_of(result.x);
    result.y_share = share_of(result.y);
    return result;
}

}  // namespace ptp::report
