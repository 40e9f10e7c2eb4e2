// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-shares.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace nadi
{

namespace
{

/// a * b, or the largest number where that passes 63 bits.
uint64_t
MultiplyAtMost(uint64_t a, uint64_t b)
{
    constexpr uint64_t MOST = std::numeric_limits<int64_t>::max();
    return b != 0 && a > MOST / b ? MOST : a * b;
}

/// A multiplication and an addition for each element of each inner size. Nothing: it is no product,
/// or some size is not said.
std::optional<uint64_t>
FindProductOperations(const KernelLaunch& kernel)
{
    const bool isBatched = kernel.op == KernelOp::BatchedGemm;
    const bool isProduct = isBatched || kernel.op == KernelOp::Gemm ||
                           kernel.op == KernelOp::GroupedGemm || kernel.op == KernelOp::Router;
    const uint64_t products = isBatched ? kernel.batch : 1;
    if (!isProduct || products == 0 || kernel.m == 0 || kernel.n == 0 || kernel.k == 0)
    {
        return std::nullopt;
    }
    const uint64_t elements = MultiplyAtMost(MultiplyAtMost(kernel.m, kernel.n), products);
    return MultiplyAtMost(MultiplyAtMost(elements, kernel.k), 2);
}

/// Gives the kernels of a node their parts of a total.
class Division
{
  public:
    Division(int64_t total, size_t kernels)
        : m_left(total)
        , m_parts(kernels, 0)
        , m_hasPart(kernels, false)
    {
    }

    void Give(size_t kernel, uint64_t amount)
    {
        const auto part = static_cast<int64_t>(std::min(amount, static_cast<uint64_t>(m_left)));
        m_parts[kernel] = part;
        m_hasPart[kernel] = true;
        m_left -= part;
    }

    bool Lacks(size_t kernel) const
    {
        return !m_hasPart[kernel];
    }

    /// Those without a part.
    int64_t Lacking() const
    {
        return std::ranges::count(m_hasPart, false);
    }

    /// Equal parts of what is left, to those without one.
    void GiveRest()
    {
        int64_t lacking = Lacking();
        for (size_t kernel = 0; kernel < m_parts.size(); ++kernel)
        {
            if (Lacks(kernel))
            {
                Give(kernel, static_cast<uint64_t>(m_left / lacking--));
            }
        }
    }

    int64_t Part(size_t kernel) const
    {
        return m_parts[kernel];
    }

  private:
    int64_t m_left;
    std::vector<int64_t> m_parts;
    std::vector<bool> m_hasPart;
};

Division
DivideOperations(Flops operations, std::span<const KernelLaunch> kernels)
{
    Division division(operations.Count(), kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i)
    {
        if (kernels[i].operations > 0)
        {
            division.Give(i, kernels[i].operations);
        }
    }
    // What the node says goes before what follows from sizes, where it says it of one kernel.
    const bool derives = division.Lacking() > 1;
    for (size_t i = 0; derives && i < kernels.size(); ++i)
    {
        const std::optional<uint64_t> product = FindProductOperations(kernels[i]);
        if (division.Lacks(i) && product)
        {
            division.Give(i, *product);
        }
    }
    division.GiveRest();
    return division;
}

Division
DivideBytes(Bytes memory, std::span<const KernelLaunch> kernels)
{
    Division division(memory.Count(), kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i)
    {
        if (kernels[i].bytes > 0)
        {
            division.Give(i, kernels[i].bytes);
        }
    }
    division.GiveRest();
    return division;
}

} // namespace

std::vector<KernelShare>
ShareWork(Flops operations, Bytes memory, std::span<const KernelLaunch> kernels)
{
    const Division counts = DivideOperations(operations, kernels);
    const Division sizes = DivideBytes(memory, kernels);
    std::vector<KernelShare> shares;
    for (size_t i = 0; i < kernels.size(); ++i)
    {
        shares.push_back({.operations = Flops(counts.Part(i)), .bytes = Bytes(sizes.Part(i))});
    }
    return shares;
}

} // namespace nadi
