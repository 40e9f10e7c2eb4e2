// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/allocation-count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace
{

std::atomic<uint64_t> g_calls{0};
std::atomic<uint64_t> g_bytes{0};

void
Count(std::size_t size)
{
    g_calls.fetch_add(1, std::memory_order_relaxed);
    g_bytes.fetch_add(size, std::memory_order_relaxed);
}

} // namespace

[[gnu::noinline]] void*
operator new(std::size_t size)
{
    Count(size);
    if (void* memory = std::malloc(size == 0 ? 1 : size))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void*
operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    Count(size);
    return std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace nadi::test
{

AllocationCount
AllocationsSoFar()
{
    return {.calls = g_calls, .bytes = g_bytes};
}

} // namespace nadi::test
