"""What the near-duplicate index does on the server, in Lua: one script a call, so one step.

Every script is given one key, `nd:{tenant}:scheme`, and makes the names of all others from a
prefix that begins with the same hash tag, so that in a cluster they stand on the same node. Under
`nd:{tenant}:<scheme>`, where <scheme> names every parameter:

    :seq           the last number given out
    :ids           hash: document id -> number
    :docs          hash: number -> namespace (l or d), signature or nothing, document id
    :marks         hash: number -> exact digest, rate of passages, tag of the origin, passages
    :<l|d>:b<i>:.  sorted set of numbers, for each band i: documents that share its rows
    :<l|d>:x       hash: exact digest -> numbers
    :<l|d>:p..     hash: low half of a passage's hash -> numbers and tags; a key for each high half

Numbers are packed in four bytes: a passage of one document costs some 15 bytes.
"""

from __future__ import annotations

from typing import Final

LEAST_SHARED: Final = 4
"""Passages in common, below which a document is not mentioned: a text of eight words has four."""

# KEYS: the scheme's key. ARGV: scheme, prefix, bands, bytes a band, bucket cap, postings of one
# passage, postings of one origin among them, shared documents returned, then what the command needs.
_PRELUDE: Final = """
local scheme, prefix = ARGV[1], ARGV[2]
local bands, width, cap = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local postings, of_origin, shared_cap = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local known = redis.call('GET', KEYS[1])
if known and known ~= scheme then return redis.error_reply('NDSCHEME ' .. known) end
local ids, docs, marks = prefix .. ':ids', prefix .. ':docs', prefix .. ':marks'
local size = bands * width

local function bucket(space, signature, band)
  return prefix .. ':' .. space .. ':b' .. band .. ':'
    .. string.sub(signature, band * width + 1, (band + 1) * width)
end
local function passage(space, hash)
  return prefix .. ':' .. space .. ':p' .. string.sub(hash, 1, 2), string.sub(hash, 3, 4)
end
local function signature_of(record)
  if string.sub(record, 2, 2) == '1' then return string.sub(record, 3, size + 2) end
  return ''
end
local function without(list, number, step)
  local kept = {}
  for at = 1, #list, step do
    if string.sub(list, at, at + 3) ~= number then
      kept[#kept + 1] = string.sub(list, at, at + step - 1)
    end
  end
  return table.concat(kept)
end
local function put(key, field, value)
  if value == '' then redis.call('HDEL', key, field) else redis.call('HSET', key, field, value) end
end

local function unlink(number, record, mark)
  local space, packed = string.sub(record, 1, 1), struct.pack('>I4', number)
  local signature = signature_of(record)
  if signature ~= '' then
    for band = 0, bands - 1 do redis.call('ZREM', bucket(space, signature, band), number) end
  end
  local exact, key = string.sub(mark, 1, 16), prefix .. ':' .. space .. ':x'
  put(key, exact, without(redis.call('HGET', key, exact) or '', packed, 4))
  for at = 22, #mark, 4 do
    local name, field = passage(space, string.sub(mark, at, at + 3))
    local list = redis.call('HGET', name, field)
    if list then put(name, field, without(list, packed, 8)) end
  end
end

local function link(number, record, mark, lists)
  local space, packed = string.sub(record, 1, 1), struct.pack('>I4', number)
  local signature, tag = signature_of(record), string.sub(mark, 18, 21)
  if signature ~= '' then
    for band = 0, bands - 1 do redis.call('ZADD', bucket(space, signature, band), number, number) end
  end
  local exact, key = string.sub(mark, 1, 16), prefix .. ':' .. space .. ':x'
  redis.call('HSET', key, exact, (redis.call('HGET', key, exact) or '') .. packed)
  for at = 22, #mark, 4 do
    local name, field = passage(space, string.sub(mark, at, at + 3))
    local list = lists and lists[string.sub(mark, at, at + 3)]
    if list == nil then list = redis.call('HGET', name, field) end
    list = list or ''
    local same = 0
    for place = 5, #list, 8 do
      if string.sub(list, place, place + 3) == tag then same = same + 1 end
    end
    if #list < 8 * postings and same < of_origin then
      redis.call('HSET', name, field, list .. packed .. tag)
    end
  end
end

local function move(id, space)
  local number = redis.call('HGET', ids, id)
  if not number then return 0 end
  local record, mark = redis.call('HGET', docs, number), redis.call('HGET', marks, number)
  if string.sub(record, 1, 1) == space then return 0 end
  unlink(number, record, mark)
  record = space .. string.sub(record, 2)
  redis.call('HSET', docs, number, record)
  link(number, record, mark)
  return 1
end
"""

# An over-full bucket is looked at in two halves: the oldest, among whom an original stands that a
# flood has copied, and a run of the others, beginning elsewhere in each band.
_FIND: Final = """
local function members(space, signature, band)
  local key = bucket(space, signature, band)
  local held = redis.call('ZCARD', key)
  if held <= cap then return held, redis.call('ZRANGE', key, 0, -1) end
  local half = math.floor(cap / 2)
  local high, low = string.byte(signature, band * width + 1, band * width + 2)
  local start = half + (high * 256 + low) % (held - cap + 1)
  local numbers = redis.call('ZRANGE', key, 0, half - 1)
  for _, number in ipairs(redis.call('ZRANGE', key, start, start + cap - half - 1)) do
    numbers[#numbers + 1] = number
  end
  return held, numbers
end

local function find_near(space, signature, own, near, crowd)
  if signature == '' then return end
  local seen = {}
  for band = 0, bands - 1 do
    local held, numbers = members(space, signature, band)
    if held > cap and held > crowd.size then crowd.size, crowd.numbers = held, numbers end
    for _, number in ipairs(numbers) do
      if number ~= own and not seen[number] then
        seen[number] = true
        local record = redis.call('HGET', docs, number)
        if record then near[#near + 1] = record end
      end
    end
  end
end

local function find_exact(space, exact, own, found)
  local list = redis.call('HGET', prefix .. ':' .. space .. ':x', exact) or ''
  for at = 1, math.min(#list, 4 * cap), 4 do
    local number = string.format('%d', (struct.unpack('>I4', list, at)))
    if number ~= own then found[#found + 1] = redis.call('HGET', docs, number) end
  end
end

local function find_shared(space, passages, own, least, found, lists)
  local at_of, numbers = {}, {}
  for place = 1, #passages, 4 do
    local hash = string.sub(passages, place, place + 3)
    local name, field = passage(space, hash)
    local list = redis.call('HGET', name, field)
    lists[hash] = list
    if list then
      for at = 1, #list, 8 do
        local number = struct.unpack('>I4', list, at)
        if not at_of[number] then
          at_of[number] = {}
          numbers[#numbers + 1] = number
        end
        local places = at_of[number]
        places[#places + 1] = struct.pack('>I2', (place - 1) / 4)
      end
    end
  end
  table.sort(numbers, function(a, b)
    if #at_of[a] ~= #at_of[b] then return #at_of[a] > #at_of[b] end
    return a < b
  end)
  local kept = 0
  for _, number in ipairs(numbers) do
    if #at_of[number] < least or kept == shared_cap then break end
    local name = string.format('%d', number)
    if name ~= own then
      kept = kept + 1
      local mark = redis.call('HGET', marks, name)
      found[#found + 1] = redis.call('HGET', docs, name)
      found[#found + 1] = string.byte(mark, 17)
      found[#found + 1] = (#mark - 21) / 4
      found[#found + 1] = table.concat(at_of[number])
    end
  end
end

-- Denied texts are few and looked for closely. Only where there are any are live ones looked for
-- as closely: it must be known which windows established documents have too.
local function find(signature, exact, passages, stored, least, own)
  local near, same, shared, crowd, lists = {}, {}, {}, {size = 0, numbers = {}}, {}
  if redis.call('EXISTS', prefix .. ':d:x') == 1 then
    find_near('d', signature, own, near, crowd)
    find_exact('d', exact, own, same)
    find_shared('d', passages, own, least, shared, {})
  end
  local closely = #shared > 0
  if not closely then passages = string.sub(passages, 1, 4 * stored) end
  find_near('l', signature, own, near, crowd)
  find_exact('l', exact, own, same)
  find_shared('l', passages, own, least, shared, lists)
  local crowded = {}
  for _, number in ipairs(crowd.numbers) do
    local record = redis.call('HGET', docs, number)
    if record then crowded[#crowded + 1] = record end
  end
  return {near, same, shared, crowd.size, crowded, closely and 1 or 0}, lists
end
"""

# ARGV 9: signature, exact digest, passages sought, least shared, document id, passages stored.
QUERY: Final = f"""{_PRELUDE}{_FIND}
local own = redis.call('HGET', ids, ARGV[13])
return (find(ARGV[9], ARGV[10], ARGV[11], tonumber(ARGV[14]), tonumber(ARGV[12]), own))
"""

# As QUERY, then the mark: exact digest, rate, tag, passages stored.
QUERY_AND_INSERT: Final = f"""{_PRELUDE}{_FIND}
local signature, id, mark = ARGV[9], ARGV[13], ARGV[15]
local number = redis.call('HGET', ids, id)
local found, lists =
  find(signature, ARGV[10], ARGV[11], tonumber(ARGV[14]), tonumber(ARGV[12]), number)
local space = 'l'
if number then
  local record = redis.call('HGET', docs, number)
  space = string.sub(record, 1, 1)
  unlink(number, record, redis.call('HGET', marks, number))
  lists = nil
else
  number = string.format('%d', redis.call('INCR', prefix .. ':seq'))
end
local record = space .. (signature == '' and '0' or '1') .. signature .. id
redis.call('SET', KEYS[1], scheme)
redis.call('HSET', ids, id, number)
redis.call('HSET', docs, number, record)
redis.call('HSET', marks, number, mark)
link(number, record, mark, lists)
return found
"""

REMOVE: Final = f"""{_PRELUDE}
local number = redis.call('HGET', ids, ARGV[9])
if not number then return 0 end
unlink(number, redis.call('HGET', docs, number), redis.call('HGET', marks, number))
redis.call('HDEL', ids, ARGV[9])
redis.call('HDEL', docs, number)
redis.call('HDEL', marks, number)
if redis.call('EXISTS', ids) == 0 then redis.call('DEL', KEYS[1], prefix .. ':seq') end
return 1
"""

DENY: Final = f"{_PRELUDE} return move(ARGV[9], 'd')"

ALLOW: Final = f"{_PRELUDE} return move(ARGV[9], 'l')"
