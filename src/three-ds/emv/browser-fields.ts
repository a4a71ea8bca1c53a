// Turns our data about the shopper's browser into fields of an AReq. The fields are valid for every input.

import { isIP } from 'node:net'
import type { BrowserFacts } from '../three-ds.ts'
import type { JsonObject } from './json.ts'
import { present } from './messages.ts'
import type { Version } from './versions.ts'

export function browserFields(browser: BrowserFacts, version: Version): JsonObject {
  return {
    browserAcceptHeader: header(browser.accept_header, '*/*'),
    browserUserAgent: header(browser.user_agent, 'unknown'),
    ...present('browserIP', address(browser.ip)),
    browserLanguage: language(browser.language),
    // Version 2.1.0 lacks the field, and requires the others even for a browser without scripts.
    ...(version === '2.1.0' ? {} : { browserJavascriptEnabled: browser.javascript_enabled }),
    ...(version === '2.1.0' || browser.javascript_enabled ? scriptFields(browser) : {}),
  }
}

function scriptFields(browser: BrowserFacts): JsonObject {
  return {
    browserJavaEnabled: browser.java_enabled,
    browserColorDepth: colourDepth(browser.color_depth),
    browserScreenHeight: whole(browser.screen_height, 0, 999_999),
    browserScreenWidth: whole(browser.screen_width, 0, 999_999),
    browserTZ: whole(browser.time_zone_offset, -840, 840),
  }
}

const depths = [48, 32, 24, 16, 15, 8, 4, 1]

/** The nearest depth that the protocol supports. Screens with 30 bits are common, but the protocol has no value for them. */
function colourDepth(depth: number): string {
  return String(depths.find((standard) => standard <= depth) ?? 24)
}

/** Zoomed pages report fractions of a pixel, and some browsers report fractions of a minute. */
function whole(value: number, least: number, most: number): string {
  const whole_number = Math.floor(Number.isFinite(value) ? value : 0)
  return String(Math.min(most, Math.max(least, whole_number)))
}

/** A language tag of at most 8 characters, cut between its parts if possible. */
function language(tag: string): string {
  const clean = tag.replace(/[^A-Za-z0-9-]/g, '')
  const parts = clean.split('-').filter((part) => part !== '')
  while (parts.length > 1 && parts.join('-').length > 8) parts.pop()
  return parts.join('-').slice(0, 8) || 'en'
}

function header(value: string, stand_in: string): string {
  const printable = value.replace(/[^\x20-\x7e]/g, '?').trim()
  return printable.slice(0, 2048) || stand_in
}

function address(ip: string | null): string | null {
  if (ip === null) return null
  const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  return isIP(plain) === 0 ? null : plain
}
