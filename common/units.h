// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

/// \file
/// Quantities as types. A raw number never stands for a quantity outside this file: construct
/// explicitly, combine only where the result means something (`Bytes / Bandwidth -> SimTime`).
/// A result never wraps: one that passes 64 bits throws std::overflow_error, and a rate that does
/// RateOverflow. Rounding is stated at each operator.

namespace nadi
{

/// Rates together pass 64 bits of bits per second. A time that passes its range is another matter:
/// that is the end of the clock.
class RateOverflow : public std::overflow_error
{
  public:
    using std::overflow_error::overflow_error;
};

namespace detail
{

__extension__ using Wide = __int128;

/// `what` would pass 64 bits. Out of line, as are the next two, so that the many sums of times in
/// the event loop inline to an addition and a jump that is never taken.
[[noreturn, gnu::cold, gnu::noinline]] inline void
ThrowOverflow(const std::string& what)
{
    throw std::overflow_error(what + " passes the range of 64 bits");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void
ThrowRateOverflow()
{
    throw RateOverflow("a sum of rates passes the range of 64 bits");
}

/// In whole seconds where there is one: for messages about times that are too long.
inline std::string
DescribeTime(int64_t ps)
{
    constexpr int64_t SECOND = 1'000'000'000'000;
    return ps < SECOND ? std::to_string(ps) + " ps" : std::to_string(ps / SECOND) + " s";
}

[[noreturn, gnu::cold, gnu::noinline]] inline void
ThrowSumOverflow(int64_t ps, int64_t otherPs)
{
    ThrowOverflow(DescribeTime(ps) + " + " + DescribeTime(otherPs));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void
ThrowProductOverflow(int64_t ps, int64_t count)
{
    ThrowOverflow(DescribeTime(ps) + " x " + std::to_string(count));
}

/// a + b. Throws for a `quantity` that passes 64 bits; so do the next two.
constexpr int64_t
Add(int64_t a, int64_t b, const char* quantity)
{
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    {
        ThrowOverflow(quantity);
    }
    return sum;
}

constexpr int64_t
Subtract(int64_t a, int64_t b, const char* quantity)
{
    int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) [[unlikely]]
    {
        ThrowOverflow(quantity);
    }
    return difference;
}

constexpr int64_t
Multiply(int64_t a, int64_t b, const char* quantity)
{
    int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    {
        ThrowOverflow(quantity);
    }
    return product;
}

/// ceil(numerator / denominator) as int64. Requires: numerator >= 0, denominator > 0.
/// Throws std::overflow_error when the quotient passes int64.
constexpr int64_t
DivideRoundingUp(Wide numerator, Wide denominator)
{
    const Wide quotient = (numerator + denominator - 1) / denominator;
    if (quotient > std::numeric_limits<int64_t>::max())
    {
        ThrowOverflow("a quantity");
    }
    return static_cast<int64_t>(quotient);
}

} // namespace detail

/// A point or a span of simulated time: int64 picoseconds, range 106 days.
class SimTime
{
  public:
    constexpr SimTime() = default;

    static constexpr SimTime FromPs(int64_t ps)
    {
        return SimTime(ps);
    }

    static constexpr SimTime FromNs(int64_t ns)
    {
        return SimTime(detail::Multiply(ns, 1000, "a time"));
    }

    static constexpr SimTime FromUs(int64_t us)
    {
        return SimTime(detail::Multiply(us, 1'000'000, "a time"));
    }

    static constexpr SimTime Max()
    {
        return SimTime(std::numeric_limits<int64_t>::max());
    }

    constexpr int64_t Ps() const
    {
        return m_ps;
    }

    /// Nanoseconds as a real number, for results and messages only; never for the clock.
    constexpr double Ns() const
    {
        return static_cast<double>(m_ps) / 1e3;
    }

    constexpr auto operator<=>(const SimTime&) const = default;

    constexpr SimTime operator+(SimTime other) const
    {
        int64_t sum = 0;
        if (__builtin_add_overflow(m_ps, other.m_ps, &sum)) [[unlikely]]
        {
            detail::ThrowSumOverflow(m_ps, other.m_ps);
        }
        return SimTime(sum);
    }

    /// The sum, or Max() where it would pass the clock's range: for what then never happens.
    constexpr SimTime AddUpToMax(SimTime other) const
    {
        int64_t sum = 0;
        return __builtin_add_overflow(m_ps, other.m_ps, &sum) ? Max() : SimTime(sum);
    }

    constexpr SimTime operator-(SimTime other) const
    {
        return SimTime(detail::Subtract(m_ps, other.m_ps, "a time"));
    }

    constexpr SimTime& operator+=(SimTime other)
    {
        return *this = *this + other;
    }

    constexpr SimTime operator*(int64_t count) const
    {
        int64_t product = 0;
        if (__builtin_mul_overflow(m_ps, count, &product)) [[unlikely]]
        {
            detail::ThrowProductOverflow(m_ps, count);
        }
        return SimTime(product);
    }

  private:
    explicit constexpr SimTime(int64_t ps)
        : m_ps(ps)
    {
    }

    int64_t m_ps = 0;
};

/// A rate of bits: int64 bits per second.
class Bandwidth
{
  public:
    constexpr Bandwidth() = default;

    static constexpr Bandwidth FromBitsPerSecond(int64_t bitsPerSecond)
    {
        return Bandwidth(bitsPerSecond);
    }

    static constexpr Bandwidth FromBytesPerSecond(int64_t bytesPerSecond)
    {
        return Bandwidth(bytesPerSecond) * 8;
    }

    constexpr int64_t BitsPerSecond() const
    {
        return m_bitsPerSecond;
    }

    constexpr auto operator<=>(const Bandwidth&) const = default;

    constexpr Bandwidth operator+(Bandwidth other) const
    {
        int64_t sum = 0;
        if (__builtin_add_overflow(m_bitsPerSecond, other.m_bitsPerSecond, &sum)) [[unlikely]]
        {
            detail::ThrowRateOverflow();
        }
        return Bandwidth(sum);
    }

    constexpr Bandwidth operator*(int64_t count) const
    {
        int64_t product = 0;
        if (__builtin_mul_overflow(m_bitsPerSecond, count, &product)) [[unlikely]]
        {
            detail::ThrowRateOverflow();
        }
        return Bandwidth(product);
    }

  private:
    explicit constexpr Bandwidth(int64_t bitsPerSecond)
        : m_bitsPerSecond(bitsPerSecond)
    {
    }

    int64_t m_bitsPerSecond = 0;
};

/// An amount of data: int64 bytes.
class Bytes
{
  public:
    constexpr Bytes() = default;

    explicit constexpr Bytes(int64_t count)
        : m_count(count)
    {
    }

    constexpr int64_t Count() const
    {
        return m_count;
    }

    constexpr auto operator<=>(const Bytes&) const = default;

    constexpr Bytes operator+(Bytes other) const
    {
        return Bytes(detail::Add(m_count, other.m_count, "a size"));
    }

    constexpr Bytes operator-(Bytes other) const
    {
        return Bytes(detail::Subtract(m_count, other.m_count, "a size"));
    }

    constexpr Bytes& operator+=(Bytes other)
    {
        return *this = *this + other;
    }

    constexpr Bytes& operator-=(Bytes other)
    {
        return *this = *this - other;
    }

    constexpr Bytes operator*(int64_t count) const
    {
        return Bytes(detail::Multiply(m_count, count, "a size"));
    }

  private:
    int64_t m_count = 0;
};

/// Time to put `size` on a wire of `rate`: ceil(8 * size / rate) in picoseconds.
/// Requires: size >= 0, rate > 0. Throws std::overflow_error past the clock's range.
constexpr SimTime
operator/(Bytes size, Bandwidth rate)
{
    const detail::Wide bitPs = detail::Wide{size.Count()} * 8 * 1'000'000'000'000;
    return SimTime::FromPs(detail::DivideRoundingUp(bitPs, rate.BitsPerSecond()));
}

/// An amount of floating-point work.
class Flops
{
  public:
    constexpr Flops() = default;

    explicit constexpr Flops(int64_t count)
        : m_count(count)
    {
    }

    constexpr int64_t Count() const
    {
        return m_count;
    }

    constexpr auto operator<=>(const Flops&) const = default;

  private:
    int64_t m_count = 0;
};

/// A rate of floating-point work: int64 FLOP per second.
class FlopRate
{
  public:
    constexpr FlopRate() = default;

    static constexpr FlopRate FromFlopsPerSecond(int64_t flopsPerSecond)
    {
        return FlopRate(flopsPerSecond);
    }

    constexpr int64_t FlopsPerSecond() const
    {
        return m_flopsPerSecond;
    }

    constexpr auto operator<=>(const FlopRate&) const = default;

  private:
    explicit constexpr FlopRate(int64_t flopsPerSecond)
        : m_flopsPerSecond(flopsPerSecond)
    {
    }

    int64_t m_flopsPerSecond = 0;
};

/// Time to do `work` at `rate`: ceil(work / rate) in picoseconds. Requires: rate > 0.
constexpr SimTime
operator/(Flops work, FlopRate rate)
{
    const detail::Wide flopPs = detail::Wide{work.Count()} * 1'000'000'000'000;
    return SimTime::FromPs(detail::DivideRoundingUp(flopPs, rate.FlopsPerSecond()));
}

} // namespace nadi
