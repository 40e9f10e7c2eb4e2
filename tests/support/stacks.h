// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "network/dimension.h"
#include "network/shape.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// A dimension whose links have 100 Gb/s and 500 ns.
inline Dimension
MakeDimension(std::string shape, uint32_t size)
{
    return {std::move(shape),
            size,
            Bandwidth::FromBitsPerSecond(100'000'000'000),
            SimTime::FromNs(500)};
}

/// A stack of such dimensions, innermost first: {{"ring", 8}, {"switch", 4}}.
inline std::vector<Dimension>
MakeStack(std::initializer_list<std::pair<const char*, uint32_t>> dimensions)
{
    std::vector<Dimension> stack;
    for (const auto& [shape, size] : dimensions)
    {
        stack.push_back(MakeDimension(shape, size));
    }
    return stack;
}

/// Stacks for property tests: each registered shape alone in sizes 1 to 9, and mixtures of two to
/// four dimensions with every shape at every level, odd sizes and ones included.
inline std::vector<std::vector<Dimension>>
MakeStackSamples()
{
    const std::vector<std::string> shapes = Registry<Shape>::Instance().Names();
    std::vector<std::vector<Dimension>> stacks;
    for (const std::string& shape : shapes)
    {
        for (uint32_t size = 1; size <= 9; ++size)
        {
            stacks.push_back({MakeDimension(shape, size)});
        }
    }
    const std::vector<std::vector<uint32_t>> sizes{
        {4, 4}, {5, 3}, {2, 6}, {1, 4}, {3, 1, 2}, {2, 3, 4}, {4, 2, 1, 3}, {2, 2, 3, 2}};
    for (const std::vector<uint32_t>& size : sizes)
    {
        for (size_t first = 0; first < shapes.size(); ++first)
        {
            for (size_t step = 0; step < shapes.size(); ++step)
            {
                std::vector<Dimension> stack;
                for (size_t d = 0; d < size.size(); ++d)
                {
                    stack.push_back(
                        MakeDimension(shapes[(first + d * step) % shapes.size()], size[d]));
                }
                stacks.push_back(std::move(stack));
            }
        }
    }
    return stacks;
}

/// "ring(8) x switch(4)", to say which stack a test failed on.
inline std::string
DescribeStack(const std::vector<Dimension>& stack)
{
    std::string text;
    for (const Dimension& dimension : stack)
    {
        text += (text.empty() ? "" : " x ") + dimension.shape.name + '(' +
                std::to_string(dimension.size) + ')';
    }
    return text;
}

} // namespace nadi
