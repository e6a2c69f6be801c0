import { describe, expect, it } from 'vitest'
import { mistypedSettings } from '../../src/config/mistyped-settings.ts'

const key = 'k'.repeat(40)

describe('a setting with an unknown name', () => {
  it.each([
    ['SERVICE_VECTORMEMROY', 'did you mean SERVICE_VECTORMEMORY?'],
    ['SERVICE_DB_PORT', 'did you mean SERVICE_DBPORT?'],
    ['SERVICE_COLOUR', 'see --help'],
  ])('is told, as %s', (name, hint) => {
    const warning = (where: string) => `unknown setting ${name} in ${where} is ignored; ${hint}`
    expect(mistypedSettings({}, { [name]: '5' }, {})).toEqual([warning('the environment')])
    expect(mistypedSettings({}, {}, { [name]: '5' })).toEqual([warning('.env')])
    expect(mistypedSettings({}, { [name]: '' }, {})).toEqual([])
  })

  it.each([
    ['SERVICE_ADMIN_KEY', 'SERVICE_ADMINKEY'],
    ['SERVICE_ADMNKEY', 'SERVICE_ADMINKEY'],
    ['service_adminkey', 'SERVICE_ADMINKEY'],
    ['SERVICE_ADMIN_KEY_FILE', 'SERVICE_ADMINKEY'],
    ['ENCRYPTIONKEY', 'ENCRYPTION_KEY'],
    ['SERVICE_ENCRYPTION_KEY', 'ENCRYPTION_KEY'],
    ['SERVICE_DB_PASSWORD', 'SERVICE_DBPASSWORD'],
    ['SERVICE_DATABASE_URI', 'SERVICE_DATABASE_URL'],
  ])('is refused where a secret seems to be meant, as by %s', (name, meant) => {
    const message = `unknown setting ${name} in .env; did you mean ${meant}?`
    expect(() => mistypedSettings({}, {}, { [name]: key })).toThrow(message)
    expect(() => mistypedSettings({}, { [name]: key }, {})).toThrow(`did you mean ${meant}?`)
    expect(() => mistypedSettings({}, { [meant]: key }, { [name]: key })).not.toThrow()
    expect(() => mistypedSettings({}, {}, { [name]: '' })).not.toThrow()
  })

  it('is refused by .env alone, where other programs may have that name', () => {
    expect(() => mistypedSettings({}, {}, { ADMIN_KEY: key })).toThrow('SERVICE_ADMINKEY')
    expect(mistypedSettings({}, { ADMIN_KEY: key, DATABASE_URL: key }, {})).toEqual([])
    expect(mistypedSettings({}, {}, { DATABASE_URL: key, DECRYPTION_KEY: key })).toEqual([])
  })

  it('is no matter where a flag gives the secret', () => {
    expect(() =>
      mistypedSettings({ 'admin-key': key }, { SERVICE_ADMIN_KEY: key }, {}),
    ).not.toThrow()
  })

  it('may be one that Kubernetes gives for a service', () => {
    const given = {
      SERVICE_SERVICE_HOST: '10.0.0.1',
      SERVICE_SERVICE_PORT_HTTP: '80',
      SERVICE_PORT_8880_TCP_ADDR: '10.0.0.1',
      SERVICE_A_PORT: 'tcp://10.0.0.1:80',
      SERVICE_A_SERVICE_PORT: '80',
    }
    expect(mistypedSettings({}, given, {})).toEqual([])
  })
})
