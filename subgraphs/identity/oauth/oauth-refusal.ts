/** An OAuth error: a code of RFC 6749, 7591, 8628 or 8707, and a description for the developer. */
export interface OauthRefusal {
  readonly error:
    | 'access_denied'
    | 'authorization_pending'
    | 'expired_token'
    | 'invalid_client'
    | 'invalid_client_metadata'
    | 'invalid_grant'
    | 'invalid_redirect_uri'
    | 'invalid_request'
    | 'invalid_scope'
    | 'invalid_target'
    | 'slow_down'
    | 'temporarily_unavailable'
    | 'unauthorized_client'
    | 'unsupported_response_type';
  readonly errorDescription: string;
}

export function isRefusal(answer: object): answer is OauthRefusal {
  return 'error' in answer;
}
