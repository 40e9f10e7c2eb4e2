// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "configuration/field.h"
#include "network/network-options.h"

#include <optional>
#include <string>

/// \file
/// Values that the mechanisms of the packet network have.

namespace nadi
{

/// `auto`, `message`, `frame` or "<n> frames".
Codec<std::optional<uint32_t>> MakeAcknowledgeCodec();

/// `none`, `bdp` or a size.
Codec<WindowChoice> MakeWindowCodec();

/// A positive number, also as a fraction: 1/8.
Codec<double> MakeFractionCodec();

/// A number from 0 to 1.
Codec<double> MakeProbabilityCodec();

/// The schema of what has one of two.
Schema MakeEitherSchema(const Schema& one, const Schema& other);

/// Whether `node` says on. Throws ConfigError where it says neither on nor off; `expected` says
/// what would be right.
bool ReadSwitch(const ConfigNode& node, const std::string& expected);

/// off; on (what T holds by default); or the keys of T. Written: off, or all keys.
template <class T>
Codec<std::optional<T>>
MakeSwitchedCodec(Section (*describe)(T&), const std::string& expected)
{
    const Codec<T> keys = MakeMappingCodec<T>(describe);
    const Codec<bool> word = MakeSwitchCodec();
    Codec<std::optional<T>> codec;
    codec.schema = MakeEitherSchema(word.schema, keys.schema);
    codec.read = [keys, expected](const ConfigNode& node) -> std::optional<T>
    {
        if (node.kind == ConfigNode::Kind::Map)
        {
            return keys.read(node);
        }
        return ReadSwitch(node, expected) ? std::optional<T>(T{}) : std::nullopt;
    };
    codec.write = [keys](const std::optional<T>& value)
    { return value ? keys.write(*value) : Json("off"); };
    return codec;
}

} // namespace nadi
