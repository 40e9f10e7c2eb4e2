// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-shared-buffer-model.h"

#include <algorithm>

namespace ns3
{

FabricSharedBufferModel::FabricSharedBufferModel(const FabricBufferSettings& settings,
                                                 uint64_t shareInEighths)
    : m_settings(settings)
    , m_eighths(shareInEighths)
    , m_pool(settings.size)
{
    for (uint32_t port = 0; port < settings.headroom.size(); ++port)
    {
        for (uint32_t priority = 1; priority <= settings.priorities; ++priority)
        {
            m_ingresses[{port, priority}] = {};
            m_pool -= settings.isLossless ? settings.headroom[port] + settings.fullFrame : 0;
        }
    }
}

void
FabricSharedBufferModel::BeginArrivals()
{
    for (auto& [name, ingress] : m_ingresses)
    {
        ingress.hasArrival = false;
    }
}

bool
FabricSharedBufferModel::Store(const Name& name, uint32_t bytes, uint64_t egressBytes)
{
    if (!CanStore(name, bytes, egressBytes))
    {
        return false;
    }
    Ingress& ingress = m_ingresses[name];
    (ingress.isPaused ? ingress.inHeadroom : ingress.pooled) += bytes;
    ingress.hasArrival = true;
    m_mostStored = std::max(m_mostStored, GetStoredBytes());
    return true;
}

bool
FabricSharedBufferModel::CanStore(const Name& name, uint32_t bytes, uint64_t egressBytes) const
{
    if (m_settings.isLossless)
    {
        const Ingress& ingress = m_ingresses.at(name);
        return !ingress.isPaused || ingress.inHeadroom + bytes <= m_settings.headroom[name.first];
    }
    const uint64_t free = m_settings.size - GetStoredBytes();
    return bytes <= free && (egressBytes == 0 || egressBytes < free * m_eighths / 8);
}

void
FabricSharedBufferModel::Release(const Name& name, uint32_t bytes)
{
    Ingress& ingress = m_ingresses[name];
    for (uint32_t i = 0; i < bytes; ++i)
    {
        --(ingress.inHeadroom > 0 ? ingress.inHeadroom : ingress.pooled);
    }
}

uint64_t
FabricSharedBufferModel::ComputeThreshold() const
{
    uint64_t pooled = 0;
    for (const auto& [name, ingress] : m_ingresses)
    {
        pooled += ingress.pooled;
    }
    return pooled > m_pool ? 0 : (m_pool - pooled) * m_eighths / 8;
}

FabricSharedBufferModel::Names
FabricSharedBufferModel::TakePauses()
{
    Names names;
    for (auto& [name, ingress] : m_ingresses)
    {
        if (m_settings.isLossless && ingress.hasArrival && !ingress.isPaused &&
            GetBytes(name) >= ComputeThreshold())
        {
            ingress.isPaused = true;
            names.push_back(name);
        }
    }
    return names;
}

FabricSharedBufferModel::Names
FabricSharedBufferModel::TakeResumes()
{
    Names names;
    const uint64_t threshold = ComputeThreshold();
    for (auto& [name, ingress] : m_ingresses)
    {
        const uint64_t held = GetBytes(name);
        const bool isLow = held < threshold && held + m_settings.resumeOffset <= threshold;
        if (ingress.isPaused && ingress.inHeadroom == 0 && (held == 0 || isLow))
        {
            ingress.isPaused = false;
            names.push_back(name);
        }
    }
    return names;
}

bool
FabricSharedBufferModel::IsPaused(const Name& name) const
{
    return m_ingresses.at(name).isPaused;
}

uint64_t
FabricSharedBufferModel::GetBytes(const Name& name) const
{
    return m_ingresses.at(name).pooled + m_ingresses.at(name).inHeadroom;
}

uint64_t
FabricSharedBufferModel::GetStoredBytes() const
{
    uint64_t stored = 0;
    for (const auto& [name, ingress] : m_ingresses)
    {
        stored += ingress.pooled + ingress.inHeadroom;
    }
    return stored;
}

} // namespace ns3
